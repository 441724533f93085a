/** The id of the hold of a part of a task, such as a batch's line. It does not count as a task of its own. */
export const partHold = (task: string, part: number): string => `${task}:${part}`

/** The task of a hold. */
export const taskOfHold = (id: string): string => {
  const end = id.indexOf(":")
  return end === -1 ? id : id.slice(0, end)
}
