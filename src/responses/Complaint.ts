/** Tells what is wrong with a field; the first complaint is what the caller reads. */
export type Complain = (param: string, rule: string) => void
