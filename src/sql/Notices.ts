import { Context, Effect } from "effect"
import type { Scope } from "effect"

/** Messages from one process to the others. Best effort: listeners also look for changes now and then. */
export interface NoticeBoard {
  /** Tells the others of something by its name, soon and with what else there is to tell. Not to be run before the commit. */
  readonly tell: (topic: Topic, name: string) => void
  /**
   * Hears of what others tell: names, or undefined where nobody knows which, as after the connection was away: then all is
   * to be read again.
   * @returns no longer hears of it
   */
  readonly listen: (topic: Topic, heard: Heard) => () => void
}

type Topic = "answers" | "changes" | "nodes" | "tasks.due" | "tasks.ended"
export type Heard = (names: ReadonlySet<string> | undefined) => void

const nothing = () => {}

/** The notices among the processes of one Postgres. With SQLite there is nobody to tell. */
export class Notices extends Context.Reference<Notices>()("gateway/sql/Notices", {
  defaultValue: (): NoticeBoard => ({ tell: nothing, listen: () => nothing })
}) {}

/** Hears of what other processes tell, for as long as the scope lives. */
export const heeding = (topic: Topic, heard: Heard): Effect.Effect<void, never, Scope.Scope> =>
  Effect.flatMap(Notices, ({ listen }) =>
    Effect.asVoid(
      Effect.acquireRelease(
        Effect.sync(() => listen(topic, heard)),
        (leave) => Effect.sync(leave)
      )
    )
  )
