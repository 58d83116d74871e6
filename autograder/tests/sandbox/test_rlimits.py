"""The limits that a process asks the kernel to set for it."""

import pytest
from hearts_course.sandbox.worker import rlimits

resource = pytest.importorskip("resource")
LIMITS = {"memory_bytes": 10**9, "written_bytes": 10**6, "open_files": 64}


@pytest.mark.parametrize("platform", ["darwin", "linux"])
def test_macos_is_not_asked_for_a_limit_that_it_refuses(platform):
    asked = rlimits.kernel_limits(LIMITS, platform)
    assert (resource.RLIMIT_AS in asked) == (platform == "linux")
    assert {resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE, resource.RLIMIT_CORE} <= set(asked)
