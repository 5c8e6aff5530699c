// Draw a text of letters and digits as a QR symbol (ISO/IEC 18004): alphanumeric mode, error correction M,
// versions 1 to 15, which hold up to 600 characters.

const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";
// For each version: error-correction codewords of a block, and the number of blocks.
const CHECKS = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24];
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10];
const QUIET = 4;

/** Return the number of modules of a version that hold data. */
function room(version) {
  const marks = version < 2 ? 0 : Math.floor(version / 7) + 2;
  const alignment = version < 2 ? 0 : (25 * marks - 10) * marks - 55;
  return (16 * version + 128) * version + 64 - alignment - (version >= 7 ? 36 : 0);
}

const words = (version) => Math.floor(room(version) / 8) - CHECKS[version - 1] * BLOCKS[version - 1];

function times(a, b) {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((b >>> bit) & 1) * a;
  }
  return product;
}

/** Return the error-correction codewords of a block. */
function check(data, degree) {
  const divisor = new Array(degree - 1).fill(0).concat(1);
  for (let i = 0, root = 1; i < degree; i++, root = times(root, 2)) {
    for (let j = 0; j < degree; j++) divisor[j] = times(divisor[j], root) ^ (divisor[j + 1] ?? 0);
  }
  const rest = new Array(degree).fill(0);
  for (const byte of data) {
    const factor = byte ^ rest.shift();
    rest.push(0);
    divisor.forEach((value, i) => { rest[i] ^= times(value, factor); });
  }
  return rest;
}

function encoded(text, version) {
  const bits = [];
  const put = (value, many) => { for (let i = many - 1; i >= 0; i--) bits.push((value >>> i) & 1); };
  put(2, 4);
  put(text.length, version < 10 ? 9 : 11);
  for (let i = 0; i < text.length; i += 2) {
    const [first, second] = [LETTERS.indexOf(text[i]), LETTERS.indexOf(text[i + 1])];
    if (i + 1 < text.length) put(first * 45 + second, 11);
    else put(first, 6);
  }
  const size = words(version) * 8;
  put(0, Math.min(4, size - bits.length));
  put(0, (8 - (bits.length % 8)) % 8);
  for (let pad = 0xec; bits.length < size; pad ^= 0xfd) put(pad, 8);
  return Array.from({ length: size / 8 }, (_, i) => bits.slice(i * 8, i * 8 + 8).reduce((byte, bit) => byte * 2 + bit, 0));
}

/** Return data and checks, block by block, in the order of the symbol. */
function interleaved(data, version) {
  const [many, degree] = [BLOCKS[version - 1], CHECKS[version - 1]];
  const total = Math.floor(room(version) / 8);
  const short = many - (total % many);
  const blocks = [];
  for (let i = 0, at = 0; i < many; i++) {
    const length = Math.floor(total / many) - degree + (i < short ? 0 : 1);
    const block = data.slice(at, at + length);
    at += length;
    blocks.push([block, check(block, degree)]);
  }
  const longest = blocks.at(-1)[0].length;
  const pick = (part, length) => Array.from({ length }, (_, i) => blocks.flatMap((block) => block[part][i] ?? [])).flat();
  return [...pick(0, longest), ...pick(1, degree)];
}

class Symbol {
  constructor(version) {
    this.size = version * 4 + 17;
    this.dark = Array.from({ length: this.size }, () => new Array(this.size).fill(false));
    this.fixed = Array.from({ length: this.size }, () => new Array(this.size).fill(false));
    this.#patterns(version);
  }

  #set(x, y, dark) {
    if (x < 0 || y < 0 || x >= this.size || y >= this.size) return;
    this.dark[y][x] = dark;
    this.fixed[y][x] = true;
  }

  #patterns(version) {
    const { size } = this;
    for (let i = 0; i < size; i++) { this.#set(6, i, i % 2 === 0); this.#set(i, 6, i % 2 === 0); }
    for (const [cx, cy] of [[3, 3], [size - 4, 3], [3, size - 4]]) {
      for (let y = -4; y <= 4; y++) for (let x = -4; x <= 4; x++) {
        const ring = Math.max(Math.abs(x), Math.abs(y));
        this.#set(cx + x, cy + y, ring !== 2 && ring !== 4);
      }
    }
    const many = version === 1 ? 0 : Math.floor(version / 7) + 2;
    const step = Math.floor((version * 8 + many * 3 + 5) / (many * 4 - 4)) * 2;
    const at = many ? [6, ...Array.from({ length: many - 1 }, (_, i) => size - 7 - i * step).reverse()] : [];
    at.forEach((cx, i) => at.forEach((cy, j) => {
      const isFinder = (i === 0 && j === 0) || (i === 0 && j === many - 1) || (i === many - 1 && j === 0);
      if (isFinder) return;
      for (let y = -2; y <= 2; y++) for (let x = -2; x <= 2; x++) this.#set(cx + x, cy + y, Math.max(Math.abs(x), Math.abs(y)) !== 1);
    }));
    this.#format();
    if (version >= 7) this.#version(version);
  }

  /** Draw the format: error correction M and mask 0, whose 15 bits are always the same. */
  #format() {
    const bits = 0x5412;
    const bit = (i) => ((bits >>> i) & 1) === 1;
    const { size } = this;
    for (let i = 0; i <= 5; i++) this.#set(8, i, bit(i));
    this.#set(8, 7, bit(6)); this.#set(8, 8, bit(7)); this.#set(7, 8, bit(8));
    for (let i = 9; i < 15; i++) this.#set(14 - i, 8, bit(i));
    for (let i = 0; i < 8; i++) this.#set(size - 1 - i, 8, bit(i));
    for (let i = 8; i < 15; i++) this.#set(8, size - 15 + i, bit(i));
    this.#set(8, size - 8, true);
  }

  #version(version) {
    let rest = version;
    for (let i = 0; i < 12; i++) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
    const bits = (version << 12) | rest;
    for (let i = 0; i < 18; i++) {
      const [a, b] = [this.size - 11 + (i % 3), Math.floor(i / 3)];
      this.#set(a, b, ((bits >>> i) & 1) === 1);
      this.#set(b, a, ((bits >>> i) & 1) === 1);
    }
  }

  /** Fill in the codewords, zigzag from the right, under mask 0. */
  fill(codewords) {
    let i = 0;
    for (let right = this.size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5;
      for (let step = 0; step < this.size; step++) for (let j = 0; j < 2; j++) {
        const x = right - j;
        const y = ((right + 1) & 2) === 0 ? this.size - 1 - step : step;
        if (this.fixed[y][x]) continue;
        const dark = i < codewords.length * 8 && ((codewords[i >>> 3] >>> (7 - (i & 7))) & 1) === 1;
        this.dark[y][x] = dark !== ((x + y) % 2 === 0);
        i += 1;
      }
    }
    return this.dark;
  }
}

/** Return the symbol as rows of booleans, true for dark, without its quiet zone. */
export function modules(text) {
  if ([...text].some((letter) => !LETTERS.includes(letter))) throw new RangeError("capital letters and digits only");
  const version = CHECKS.findIndex((_, i) => words(i + 1) * 8 >= 4 + (i < 9 ? 9 : 11) + Math.ceil(text.length * 5.5)) + 1;
  if (!version) throw new RangeError("too long for a symbol");
  return new Symbol(version).fill(interleaved(encoded(text, version), version));
}

/** Return the symbol as an SVG element with its quiet zone. */
export function symbol(text, label) {
  const rows = modules(text);
  const size = rows.length + 2 * QUIET;
  const make = (name, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const svg = make("svg", { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label, "shape-rendering": "crispEdges" });
  const path = rows.flatMap((row, y) => row.flatMap((dark, x) => (dark ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : []))).join("");
  svg.append(make("rect", { width: size, height: size, fill: "#fff" }), make("path", { d: path, fill: "#000" }));
  return svg;
}
