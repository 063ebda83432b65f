# SPDX-License-Identifier: Apache-2.0
"""A domain and a counter that record nothing, whether a tool is attached or not, for programs that
take them in the place of others."""


class _DummyCounter:
    name = dtype = description = scope = semantics = time_domain = None

    @property
    def domain(self):
        return dummy_domain

    def sample(self, value):
        pass

    def sample_no_value(self, reason):
        pass

    def batch_submit(self, values, timestamps):
        pass


class _DummyDomain:
    def mark(self, attributes=None, *, message=None, color=None, category=None, payload=None):
        pass

    def push_range(self, attributes=None, *, message=None, color=None, category=None, payload=None):
        pass

    def pop_range(self):
        pass

    def start_range(self, attributes=None, *, message=None, color=None, category=None, payload=None):
        return 0

    def end_range(self, range_id):
        pass

    def get_event_attributes(self, message=None, color=None, category=None, payload=None):
        pass

    def set_event_attributes(self, attributes, *, message=None, color=None, category=None, payload=None):
        pass

    def get_registered_string(self, string):
        pass

    def get_category_id(self, name):
        pass

    def get_counter(self, name, dtype, *, description=None, scope=None, semantics=None, time_domain=None):
        return dummy_counter

    def get_timestamp(self):
        return 0


dummy_counter = _DummyCounter()
dummy_domain = _DummyDomain()
