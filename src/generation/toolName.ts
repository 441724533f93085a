/** True if every provider accepts it as a tool's name. */
export const isToolName = (name: string): boolean => legal.test(name)

const legal = /^[A-Za-z0-9_-]{1,128}$/

/** The rule for a tool's name, as callers read it. */
export const toolNameRule = "expected 1 to 128 letters, digits, _ or -"
