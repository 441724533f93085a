import { Context, Effect } from "effect"
import type { Scope } from "effect"

/** Messages between processes. Best effort: listeners also poll for changes. */
export interface NoticeBoard {
  /** Notifies the others, soon, in one message with other notices. Call it after the commit. */
  readonly tell: (topic: Topic, name: string) => void
  /**
   * Listens to a topic. The listener gets names, or undefined if notices may have been missed, for example after a lost
   * connection: then everything must be read again.
   *
   * @returns stops listening
   */
  readonly listen: (topic: Topic, heard: Heard) => () => void
}

type Topic = "answers" | "changes" | "nodes" | "tasks.due" | "tasks.ended"
export type Heard = (names: ReadonlySet<string> | undefined) => void

const nothing = () => {}

/** Notices between the processes that share a Postgres. With SQLite there is only one process. */
export class Notices extends Context.Reference<Notices>()("gateway/sql/Notices", {
  defaultValue: (): NoticeBoard => ({ tell: nothing, listen: () => nothing })
}) {}

/** Listens to a topic until the scope closes. */
export const heeding = (topic: Topic, heard: Heard): Effect.Effect<void, never, Scope.Scope> =>
  Effect.flatMap(Notices, ({ listen }) =>
    Effect.asVoid(
      Effect.acquireRelease(
        Effect.sync(() => listen(topic, heard)),
        (leave) => Effect.sync(leave)
      )
    )
  )
