# SPDX-License-Identifier: Apache-2.0
# Ctrl-C in the terminal ends the program; rangefinder finishes the recording.
command -v python3 >/dev/null || { echo 'python3 is not installed'; exit 77; }
cat >terminal.py <<'END'
import os, pty, time
pid, fd = pty.fork()
if pid == 0:
    os.execvp("rangefinder", "rangefinder profile -q -o run act push:open touch:ready sleep:10000".split())
while not os.path.exists("ready"):
    time.sleep(0.01)
os.write(fd, b"\x03")
print("status", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
python3 terminal.py
what run.rf
# left behind processes are not waited for after a Ctrl-C
cat >linger.py <<'END'
import os, pty, time
pid, fd = pty.fork()
if pid == 0:
    os.execvp("rangefinder", ["rangefinder", "profile", "-q", "-o", "linger", "sh", "-c",
                              "echo $$ >shell.pid; setsid act linger:never push:x pop touch:ended &"])
while not os.path.exists("ended"):
    time.sleep(0.01)
with open("shell.pid") as file:
    shell = file.read().strip()
while os.path.exists("/proc/" + shell):  # rangefinder has not seen its end yet
    time.sleep(0.01)
os.write(fd, b"\x03")
print("status", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
python3 linger.py
touch never
what linger.rf
