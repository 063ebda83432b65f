/* SPDX-License-Identifier: Apache-2.0 */
/* plain: a program without annotations; also linked statically where that works. */
int main(void)
{
    return 0;
}
