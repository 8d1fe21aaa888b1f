"""The logic of a door lock against its golden model."""

import enum

from mealybug_adapter import assert_model


class Key(enum.Enum):
    ONE = 1
    TWO = 2
    ENTER = 3
    CLOSE = 4


class Lock:
    """Opens with the keys 1 2 enter."""

    def __init__(self):
        self.is_open = False
        self.typed = []

    def press(self, key):
        if self.is_open:
            self.is_open = key is not Key.CLOSE
            return None if self.is_open else "locked"
        if key in (Key.ONE, Key.TWO):
            self.typed.append(key)
            return "beep"
        typed, self.typed = self.typed, []
        if key is Key.CLOSE or not typed:
            return None
        self.is_open = typed == [Key.ONE, Key.TWO]
        return "opened" if self.is_open else "wrong code"


def test_the_lock_does_what_its_model_says():
    assert_model("models/lock.dot", Key, Lock, Lock.press)
