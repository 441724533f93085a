/** Whether every provider takes it as a tool's name. */
export const isToolName = (name: string): boolean => legal.test(name)

const legal = /^[A-Za-z0-9_-]{1,128}$/

/** What a name must be, for whoever chose another. */
export const toolNameRule = "expected 1 to 128 letters, digits, _ or -"
