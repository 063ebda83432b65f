/* SPDX-License-Identifier: Apache-2.0 */
/* A profile function of CPython that does nothing: what automatic annotation is compared with. */
int rf_noop(void *object, void *frame, int what, void *argument);

__attribute__((visibility("default"))) int rf_noop(void *object, void *frame, int what,
                                                   void *argument)
{
    (void)object;
    (void)frame;
    (void)what;
    (void)argument;
    return 0;
}
