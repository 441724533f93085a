/** Every limit is one of a minute, and minutes begin where the clock's do. */
export const windowMs = 60_000
