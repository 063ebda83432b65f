# SPDX-License-Identifier: Apache-2.0
# Recording goes on for processes that the program leaves behind, unless told otherwise.
(sleep 0.3; touch go) &
run rangefinder profile -q -o all act linger:go mark:first
what all.rf
rm go
run rangefinder profile -q -o primary --wait=primary act linger:go mark:first
touch go
what primary.rf
list
