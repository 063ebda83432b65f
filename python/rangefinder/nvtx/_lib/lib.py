# SPDX-License-Identifier: Apache-2.0
"""Functions of an EventAttributes and the handle of a Domain."""

from rangefinder.nvtx import (
    BatchOrdering,
    Counter,
    Domain,
    DummyCounter,
    DummyDomain,
    EntryKind,
    EventAttributes,
    EventKind,
    NvtxWarning,
    PayloadEntryType,
    PredefinedScope,
    RegisteredString,
    TimestampType,
    get_domain,
)
from rangefinder.nvtx._lib.dummies import dummy_counter, dummy_domain


class DomainHandle:
    """What Domain.handle is: a Domain, for the functions below."""

    __slots__ = ("domain",)

    def __init__(self, name=None):
        self.domain = name if isinstance(name, Domain) else get_domain(name)

    @property
    def name(self):
        return self.domain.name

    def enabled(self):
        return self.domain.is_enabled()

    def __eq__(self, other):
        return isinstance(other, DomainHandle) and self.domain is other.domain

    def __hash__(self):
        return hash(self.domain)


class StringHandle:
    """A string that is registered in the domain of a DomainHandle."""

    __slots__ = ("string",)

    def __init__(self, domain_handle, string=None):
        self.string = "" if string is None else string
        if string is not None:
            domain_handle.domain.get_registered_string(string)


def mark(attributes, domain):
    domain.domain.mark(attributes)


def push_range(attributes, domain):
    domain.domain.push_range(attributes)


def pop_range(domain):
    domain.domain.pop_range()


def start_range(attributes, domain):
    return domain.domain.start_range(attributes), domain


def end_range(range_id, domain):
    domain.domain.end_range(range_id)
