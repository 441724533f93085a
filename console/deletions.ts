/**
 * Deletions by this page. What shows a record waits while the record is being deleted, and asks for nothing once it is: the
 * gateway tells changes before it answers, and an id is never used again.
 */
export const makeDeletions = () => {
  const outcomes = new Map<string, Promise<boolean>>()
  return {
    /** Deletes a record. @param run fails if the record stays */
    run: async <A>(id: string, run: () => Promise<A>): Promise<A> => {
      const answer = run()
      outcomes.set(
        id,
        answer.then(
          () => true,
          () => false
        )
      )
      try {
        return await answer
      } catch (error) {
        outcomes.delete(id)
        throw error
      }
    },
    /** The deletion of one of these records: true once it is deleted, false if it stays. Undefined if none is being deleted. */
    ofAny: (ids: ReadonlyArray<unknown>): Promise<boolean> | undefined => {
      const id = ids.find((one) => typeof one === "string" && outcomes.has(one))
      return typeof id === "string" ? outcomes.get(id) : undefined
    }
  } as const
}
export type Deletions = ReturnType<typeof makeDeletions>
