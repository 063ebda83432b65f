# SPDX-License-Identifier: Apache-2.0
# The terminal hangs up: that ends the program as it does without rangefinder, which leads the
# terminal's session here, as with `ssh -t host rangefinder ...`.
command -v python3 >/dev/null || {
    echo 'python3 is not installed'
    exit 77
}
cat >hang_up.py <<'END'
import os, pty, sys, time

pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
while not os.path.exists("ready"):
    if os.waitpid(pid, os.WNOHANG)[0]:
        sys.exit("it ended")
    time.sleep(0.01)
os.close(terminal)
status = os.waitpid(pid, 0)[1]
print("signal", os.WTERMSIG(status)) if os.WIFSIGNALED(status) else print("status", status >> 8)
END
for verb in '' 'rangefinder profile -o run' 'rangefinder launch -o launched'; do
    rm -f ready
    echo "${verb:-alone}:"
    timeout 60 python3 hang_up.py $verb act ranges:3 touch:ready await:never
    rm -f never
done
rangefinder info run.rf | sed -n 's/^state *program [0-9]*/state: program PID/p'
