// Any thread. Files that nobody sees and that go with the process.
#pragma once

namespace athanor {

/// An open file without a name, in TMPDIR or else in /var/tmp, which is on a disk where /tmp may be memory; −1 with errno
/// when there can be none. The caller closes it.
int openTemporaryFile();

} // namespace athanor
