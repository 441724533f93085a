/** As settings write them, in the order of JavaScript's `getUTCDay`. */
export const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const
