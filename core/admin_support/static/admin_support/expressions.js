// Evaluate the theme's Alpine expressions without `eval`, which the content policy forbids.
//
// Alpine makes a function of the text of each x-... attribute. This file reads that text itself:
// literals, names, members, calls, operators, assignments, `?:`, arrow functions of one expression,
// and `if`. A name is one of Alpine's scope, of PAGE or of GLOBALS; nothing leads from there to the window.
"use strict";
(() => {
  const GLOBALS = new Set(["getCurrentTab", "localStorage", "searchCommand", "searchDropdown", "searchForm", "sortRecords", "theme", "undefined"]);
  const CLOSED = new Set(["__proto__", "constructor", "contentDocument", "contentWindow", "defaultView", "ownerDocument", "prototype", "view"]);
  // Where the page is, and where it may go: the policy keeps that from running anything.
  const PAGE = { window: Object.freeze({ get location() { return window.location; } }) };
  const TOKEN = /\s*(?:(\d+(?:\.\d+)?)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|([A-Za-z_$][\w$]*)|(===|!==|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.|[-+*/%!<>=?:.,;(){}[\]]))/y;
  const WORDS = { true: true, false: false, null: null };
  const BINARY = [
    { "||": (a, b) => a() || b(), "??": (a, b) => a() ?? b() },
    { "&&": (a, b) => a() && b() },
    { "===": (a, b) => a() === b(), "!==": (a, b) => a() !== b(), "==": (a, b) => a() == b(), "!=": (a, b) => a() != b() },
    { "<": (a, b) => a() < b(), ">": (a, b) => a() > b(), "<=": (a, b) => a() <= b(), ">=": (a, b) => a() >= b() },
    { "+": (a, b) => a() + b(), "-": (a, b) => a() - b() },
    { "*": (a, b) => a() * b(), "/": (a, b) => a() / b(), "%": (a, b) => a() % b() },
  ];

  function tokens(text) {
    const all = [];
    TOKEN.lastIndex = 0;
    while (text.slice(TOKEN.lastIndex).trim()) {
      const match = TOKEN.exec(text);
      if (!match) throw new SyntaxError(`not understood: ${text}`);
      const [, number, quoted, name, sign] = match;
      if (number) all.push({ value: Number(number) });
      else if (quoted) all.push({ value: quoted.slice(1, -1).replace(/\\(.)/g, "$1") });
      else all.push(name ? { name } : { sign });
    }
    return all;
  }

  function member(object, key) {
    if (CLOSED.has(String(key))) throw new TypeError(`${String(key)} is closed to expressions`);
    return object[key];
  }

  // A part of an expression: `get` gives its value; one that stands for a place also has `set`, and
  // one that may be called as a method has `of`, the object.
  class Parser {
    constructor(text) { this.text = text; this.all = tokens(text); this.at = 0; }
    get next() { return this.all[this.at] ?? {}; }
    is(sign) { return this.next.sign === sign; }
    take(sign) { return this.is(sign) ? Boolean(this.at += 1) : false; }
    need(sign) { if (!this.take(sign)) throw new SyntaxError(`${sign} is missing: ${this.text}`); }
    list(end) {
      const parts = [];
      while (!this.take(end)) { parts.push(this.expression()); if (!this.is(end)) this.need(","); }
      return parts;
    }

    statements(ends) {
      const steps = [];
      while (!ends()) { steps.push(this.statement()); while (this.take(";")); }
      return (env) => steps.reduce((_, step) => step(env), undefined);
    }
    statement() {
      if (this.next.name !== "if") return this.expression().get;
      this.at += 1;
      this.need("(");
      const condition = this.expression().get;
      this.need(")");
      const then = this.branch();
      if (this.next.name !== "else") return (env) => (condition(env) ? then(env) : undefined);
      this.at += 1;
      const otherwise = this.branch();
      return (env) => (condition(env) ? then(env) : otherwise(env));
    }
    branch() {
      if (!this.take("{")) { const one = this.statement(); this.take(";"); return one; }
      return this.statements(() => this.take("}"));
    }

    expression() {
      const arrow = this.arrow();
      if (arrow) return arrow;
      const place = this.choice();
      if (!this.take("=")) return place;
      if (!place.set) throw new SyntaxError(`no place to assign to: ${this.text}`);
      const value = this.expression().get;
      return { get: (env) => place.set(env, value(env)) };
    }
    arrow() {
      const from = this.at;
      const names = [];
      if (this.next.name && this.all[from + 1]?.sign === "=>") { names.push(this.next.name); this.at += 1; }
      else if (this.take("(")) {
        while (this.next.name) { names.push(this.next.name); this.at += 1; this.take(","); }
        if (!this.take(")") || !this.is("=>")) { this.at = from; return null; }
      } else return null;
      this.need("=>");
      const body = this.expression().get;
      return { get: (env) => (...values) => body({ ...env, own: { ...env.own, ...Object.fromEntries(names.map((name, i) => [name, values[i]])) } }) };
    }
    choice() {
      const condition = this.binary(0);
      if (!this.take("?")) return condition;
      const then = this.expression().get;
      this.need(":");
      const otherwise = this.expression().get;
      return { get: (env) => (condition.get(env) ? then(env) : otherwise(env)) };
    }
    binary(level) {
      if (level === BINARY.length) return this.unary();
      let left = this.binary(level + 1);
      for (let sign = this.next.sign; Object.hasOwn(BINARY[level], sign ?? ""); sign = this.next.sign) {
        this.at += 1;
        const [a, b, operator] = [left.get, this.binary(level + 1).get, BINARY[level][sign]];
        left = { get: (env) => operator(() => a(env), () => b(env)) };
      }
      return left;
    }
    unary() {
      if (this.take("!")) { const part = this.unary().get; return { get: (env) => !part(env) }; }
      if (this.take("-")) { const part = this.unary().get; return { get: (env) => -part(env) }; }
      let part = this.primary();
      for (;;) {
        if (this.take(".")) part = this.member(part, this.word(), false);
        else if (this.take("?.")) part = this.member(part, this.word(), true);
        else if (this.take("[")) { const key = this.expression().get; this.need("]"); part = this.member(part, key, false); }
        else if (this.take("(")) part = this.call(part, this.list(")"));
        else return part;
      }
    }
    word() {
      const { name } = this.next;
      if (!name) throw new SyntaxError(`a name is missing: ${this.text}`);
      this.at += 1;
      return () => name;
    }
    member({ get }, key, optional) {
      const read = (env, object) => (optional && object == null ? undefined : member(object, key(env)));
      return {
        get: (env) => read(env, get(env)),
        set: (env, value) => { const [object, name] = [get(env), key(env)]; member(object, name); object[name] = value; return value; },
        of: (env) => { const object = get(env); return [object, read(env, object)]; },
      };
    }
    call(callee, parts) {
      const of = callee.of ?? ((env) => [undefined, callee.get(env)]);
      return { get: (env) => { const [object, called] = of(env); return called.apply(object, parts.map(({ get }) => get(env))); } };
    }
    primary() {
      const { value, name } = this.next;
      if (value !== undefined) { this.at += 1; return { get: () => value }; }
      if (this.take("(")) { const inner = this.expression(); this.need(")"); return inner; }
      if (this.take("[")) { const parts = this.list("]"); return { get: (env) => parts.map(({ get }) => get(env)) }; }
      if (this.take("{")) return this.object();
      if (!name) throw new SyntaxError(`not understood: ${this.text}`);
      this.at += 1;
      return Object.hasOwn(WORDS, name) ? { get: () => WORDS[name] } : this.named(name);
    }
    object() {
      const entries = [];
      while (!this.take("}")) {
        const key = this.next.name ?? this.next.value;
        this.at += 1;
        entries.push([key, this.take(":") ? this.expression().get : this.named(key).get]);
        if (!this.is("}")) this.need(",");
      }
      return { get: (env) => Object.fromEntries(entries.map(([key, get]) => [key, get(env)])) };
    }
    named(name) {
      const holder = (env) => {
        if (Object.hasOwn(env.own, name)) return env.own;
        if (name in env.scope) return env.scope;
        if (Object.hasOwn(PAGE, name)) return PAGE;
        if (GLOBALS.has(name)) return window;
        throw new ReferenceError(`${name} is not of this page`);
      };
      return {
        get: (env) => member(holder(env), name),
        set: (env, value) => {
          const place = Object.hasOwn(env.own, name) ? env.own : env.scope;
          if (place === env.scope && !(name in place) && (GLOBALS.has(name) || Object.hasOwn(PAGE, name))) throw new TypeError(`${name} is no place`);
          place[name] = value;
          return value;
        },
        of: (env) => { const place = holder(env); return [place === env.own ? undefined : place, member(place, name)]; },
      };
    }
  }

  const compiled = new Map();
  function compile(text) {
    if (!compiled.has(text)) {
      const parser = new Parser(text);
      compiled.set(text, parser.statements(() => parser.at >= parser.all.length));
    }
    return compiled.get(text);
  }

  function evaluator(element, expression) {
    const stack = [{ $el: element }, ...Alpine.closestDataStack(element)];
    return (receive = () => {}, { scope = {}, params = [] } = {}) => {
      const names = Alpine.mergeProxies([scope, ...stack]);
      let result = typeof expression === "function" ? expression.apply(names, params) : compile(expression)({ scope: names, own: {} });
      if (typeof result === "function" && typeof expression !== "function") result = result.apply(names, params);
      if (result instanceof Promise) result.then(receive);
      else receive(result);
    };
  }

  addEventListener("alpine:init", () => Alpine.setEvaluator(evaluator));
})();
