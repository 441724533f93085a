/** How a request can end: well, refused before anything was done, failed, cut after its 200, or left by its reader. */
export const outcomes = ["finished", "refused", "failed", "cut", "hang_up"] as const
export type Outcome = (typeof outcomes)[number]

/** How a request ended, by its status and by what went wrong, also after that. `error` is empty or null where nothing did. */
export const outcomeOf = ({ error, status }: { readonly error: string | null; readonly status: number }): Outcome => {
  if (error === "hang_up" || status === 499) return "hang_up"
  if (status >= 500) return "failed"
  if (status >= 400) return "refused"
  return error === null || error === "" ? "finished" : "cut"
}
