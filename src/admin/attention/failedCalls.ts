/** Calls to an upstream, and how many of them failed in which way (`failureKind`). */
interface FailedCalls {
  readonly calls: number
  readonly failed: number
  readonly kinds: ReadonlyMap<string, number>
}

/**
 * How many calls failed, and the commonest error: `12 of 20 calls in the last minute failed, most with 503`.
 *
 * @param when of the calls
 */
export const failedCallsText = ({ calls, failed, kinds }: FailedCalls, when: string): string => {
  const of = `${failed} of ${calls} call${calls === 1 ? "" : "s"} ${when} failed`
  const [kind, count] = [...kinds].toSorted(([one, n], [other, m]) => m - n || (one < other ? -1 : 1))[0] ?? []
  if (kind === undefined || count === undefined) return of
  const share = count < failed ? "most " : failed === 1 ? "" : "all "
  return `${of}, ${share}${errorText(kind)}`
}

const errorText = (kind: string): string => {
  switch (kind) {
    case "none":
      return "without an answer"
    case "cut":
      return "after the answer had begun"
    default:
      return `with ${kind}`
  }
}
