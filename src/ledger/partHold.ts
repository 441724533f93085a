import { randomHex } from "../contract/text/randomHex.ts"

/** The id of the hold of a part of a task, such as a batch's line. It does not count as a task of its own. */
export const partHold = (task: string, part: number): string => `${task}:${part}`

/** An id for more money of a hold, until it joins it. If its node dies in between, it ends soon after the task. */
export const moreOfHold = (id: string): string => `${id}:${randomHex()}`

/** The task of a hold. */
export const taskOfHold = (id: string): string => {
  const end = id.indexOf(":")
  return end === -1 ? id : id.slice(0, end)
}
