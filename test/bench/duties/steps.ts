/** What a gateway does beside passing on, one after the other; each step has all before it. */
export const steps = [
  ["bare", "JSON parsed and written again, both ways"],
  ["key", "the key's hash and its caller"],
  ["ids", "a request id, the reply's headers"],
  ["limits", "counts of the minute with their six headers, model and balance"],
  ["bounds", "depth and keys of the body"],
  ["hang-ups", "a caller's hang-up ends the call; no idle timeout while it waits"],
  ["usage", "a usage row that the answer waits for, committed with those of the same moment"],
  ["rows", "a row of the request, gathered for 100 ms"],
  ["log", "a line of the access log, a counter"],
  ["together", "answers of one turn leave together"]
] as const

/** Its place among them. */
export const stepOf = (name: string): number => {
  const at = steps.findIndex(([step]) => step === name)
  if (at === -1) throw new Error(`there is no step ${name}`)
  return at
}
