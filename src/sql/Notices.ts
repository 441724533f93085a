import { Context, Effect } from "effect"
import type { Scope } from "effect"

/** Messages between processes. Best effort: listeners also poll for changes. */
export interface NoticeBoard {
  /** Notifies the others, soon, in one message with other notices. Call it after the commit. */
  readonly notify: (topic: Topic, name: string) => void
  /**
   * Listens to a topic. The listener gets names, or undefined if notices may have been missed, for example after a lost
   * connection: then everything must be read again.
   *
   * @returns stops listening
   */
  readonly listen: (topic: Topic, listener: NoticeListener) => () => void
}

type Topic = "answers" | "changes" | "nodes" | "tasks.due" | "tasks.ended"
export type NoticeListener = (names: ReadonlySet<string> | undefined) => void

const nothing = () => {}

/** Notices between the processes that share a Postgres. With SQLite there is only one process. */
export class Notices extends Context.Reference<Notices>()("gateway/sql/Notices", {
  defaultValue: (): NoticeBoard => ({ notify: nothing, listen: () => nothing })
}) {}

/** Listens to a topic until the scope closes. */
export const onNotice = (topic: Topic, listener: NoticeListener): Effect.Effect<void, never, Scope.Scope> =>
  Effect.flatMap(Notices, ({ listen }) =>
    Effect.asVoid(
      Effect.acquireRelease(
        Effect.sync(() => listen(topic, listener)),
        (leave) => Effect.sync(leave)
      )
    )
  )
