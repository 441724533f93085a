/** Outcomes of requests. `cut`: failed after its 200; `hang_up`: the client left. */
export const outcomes = ["finished", "refused", "failed", "cut", "hang_up"] as const
export type Outcome = (typeof outcomes)[number]

/** A request's outcome by its status and its `error`, which may come after the status and is empty or null otherwise. */
export const outcomeOf = ({ error, status }: { readonly error: string | null; readonly status: number }): Outcome => {
  if (error === "hang_up" || status === 499) return "hang_up"
  if (status >= 500) return "failed"
  if (status >= 400) return "refused"
  return error === null || error === "" ? "finished" : "cut"
}
