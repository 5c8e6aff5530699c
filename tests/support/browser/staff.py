"""Let members of staff work in browsers of their own: sign on with password and code, do acts."""

from dataclasses import dataclass, field

import pyotp
from django.contrib.auth.hashers import make_password

from core.database import clock
from core.staff.models import User
from core.staff.powers import Role
from core.staff.second_factor import present_code
from tests.support import factories
from tests.support.browser.driver import Browser, until

PASSWORD = "cavall-de-trot-balear"
DESK = "/admin/race-day/"
_FORM = ".house-act form"
_FILL = """
const [selector, value] = arguments, field = document.querySelector(selector);
field.value = value;
field.dispatchEvent(new Event("change", {bubbles: true}));
return value === "" || field.value !== "" && value.startsWith(field.value);  // not :00
"""


@dataclass(frozen=True, slots=True)
class Person:
    """A person at a browser. `url` is the address of the site.

    Of `company` one is at the desk at a time: a desk that is left open asks for news every few
    seconds, and takes time from the one that a test looks at.
    """

    browser: Browser
    url: str
    user: User
    company: list["Person"] = field(default_factory=list, repr=False, compare=False)

    def sign_on(self, code: str | None = None) -> None:
        """Enter name, password, and the code of the person's device unless another is given."""
        self.browser.go(f"{self.url}{DESK}")
        for name, typed in (
            ("username", self.user.username),
            ("password", PASSWORD),
            ("code", present_code(self.user.username) if code is None else code),
        ):
            self.fill(name, typed)
        self.browser.keys("Enter")

    def set_own_password(self) -> None:
        """Replace the password that others know, as the first page asks."""
        self.fill("current", PASSWORD)
        self.fill("password", PASSWORD[::-1])
        self.fill("password_again", PASSWORD[::-1])
        self.browser.keys("Enter")

    def set_up_second_factor(self) -> None:
        """Sign on for the first time: put the secret into a device and confirm it with a code."""
        self.sign_on(code="")
        secret = self.browser.text(".house-secret code")
        self.browser.find(".house-picture svg")
        self.fill("code", pyotp.TOTP(secret).at(clock.now()))
        self.browser.keys("Enter")
        self.browser.find(".house-panels")

    def desk(self, *, alone: bool = True) -> None:
        for other in self.company:
            if alone and other is not self:
                other.browser.go("about:blank")
        self.browser.go(f"{self.url}{DESK}")
        self.browser.find("#desk, .house-panel")

    def fill(self, name: str, value: str) -> None:
        """Replace the value of a form field. The focus stays in it."""
        selector = f"#id_{name}"
        self.browser.find(selector)
        assert self.browser.run(_FILL, selector, value), f"{name} does not take {value!r}"
        self.browser.run("document.querySelector(arguments[0]).focus()", selector)

    def press(self, act: str, at: str = "") -> None:
        """Choose an act on the desk. Wait for it if another person's act must come first."""
        button = f'{at} a.desk-button[href*="/{act}/?back="]'

        def opened() -> bool:  # the desk may move the button in the instant of the tap
            return self.browser.tap(button) and self.browser.shows(_FORM)

        until(lambda: self.browser.shows(_FORM) or opened(), f"the form of {button} to open")

    def go_on(self) -> None:
        """Submit the form as it is."""
        self.browser.click(".house-buttons button")
        self.browser.find(f"{_FORM}, .desk-bar")

    def do(self, act: str, at: str = "", **typed: str) -> None:
        """Do an act completely: form, second look, and back to the desk."""
        self.press(act, at)
        for name, value in typed.items():
            self.fill(name, value)
        self.finish()

    def finish(self) -> None:
        if not self.browser.shows(".house-buttons button[name=do]"):
            self.go_on()
        self.browser.click(".house-buttons button[name=do]")
        self.browser.find(".desk-bar, .house-empty")

    def refused(self, code: str, **typed: str) -> None:
        """Send the form of the chosen act, which must be refused with that code and a sentence."""
        for name, value in typed.items():
            self.fill(name, value)
        if not self.browser.shows(".house-buttons button[name=do]"):
            self.go_on()
        self.browser.click(".house-buttons button[name=do]")
        self.browser.click(".house-refusal[role=alert] summary")  # the code is for who reports it
        self.browser.says(".house-refusal[role=alert] code", code)
        assert self.browser.text(".house-refusal strong")

    def sees(self, words: str) -> None:
        def is_shown() -> bool:
            text = self.browser.run("return document.body.innerText")
            return words in str(text).replace("\u00a0", " ")

        until(is_shown, words)


def person(
    browser: Browser,
    url: str,
    *roles: Role,
    has_device: bool = True,
    has_given_password: bool = False,
) -> Person:
    """Return a person with an account, with a second factor unless it is still to be set up.

    A given password is known to others: the person must set another first.
    """
    number = User.objects.count() + 1
    user = factories.account(
        f"persona{number}", f"Persona {number}", *roles, stored=make_password(PASSWORD)
    )
    if has_given_password:
        user.must_set_password = True
        user.save(update_fields=["must_set_password"])
    if has_device:
        factories.second_factor(user)
    return Person(browser, url, user)
