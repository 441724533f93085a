import { Context, Data } from "effect"
import type { Effect, Option } from "effect"
import type { JsonObject } from "../contract/fields.ts"
import type { Trace } from "../contract/records/Trace.ts"
import type { StoreFailure } from "./StoreFailure.ts"
import type { Cancelled, Task, TaskError, TaskPatch } from "./Task.ts"

/** Another worker holds the task, or it has ended: further writes of this worker change nothing. */
export class LeaseLost extends Data.TaggedError("LeaseLost")<{ readonly id: string }> {}

/** Another submit without an answer. */
export interface Rival {
  readonly id: string
  readonly submitAtMs: number
  /** False once its task has ended or is removed. */
  readonly isOpen: boolean
  /** Its fingerprint (`TaskPatch`); null if none is stored. */
  readonly fingerprint: unknown
}

export interface Rivals {
  readonly taken: ReadonlySet<string>
  readonly unheard: ReadonlyArray<Rival>
  /** There are more than these. */
  readonly isCut: boolean
}

/** A task that a worker holds for the duration of its lease. */
export interface Lease {
  readonly task: Task
  /** The turn's span in the trace of the request that created the task; absent if that is not traced. */
  readonly trace?: Trace | undefined
  /** The task's request; null once it is deleted. */
  readonly request: Effect.Effect<unknown, StoreFailure>
  /**
   * Other tasks of the lane: those that own these upstream ids, and those without an id that were submitted within some
   * minutes of this time.
   */
  readonly rivals: (upstreamIds: ReadonlyArray<string>, submitAtMs: number) => Effect.Effect<Rivals, StoreFailure>
  /** The task as stored now, by this worker or another; none once it is removed. */
  readonly stored: Effect.Effect<Option.Option<Task>, StoreFailure>
  /** Fails if the lease is lost. Run it in the transaction of writes that only the holder may make. */
  readonly held: Effect.Effect<void, LeaseLost | StoreFailure>
  /** Stores a patch now, durably, and returns the patched task. */
  readonly write: (patch: TaskPatch) => Effect.Effect<Task, LeaseLost | StoreFailure>
  /** Ends the turn now, for a kind that must react to a failure. */
  readonly settle: (turn: TaskTurn) => Effect.Effect<"settled", LeaseLost | StoreFailure>
  /**
   * Ends the turn and removes the task, its hold and its callbacks, as if it had never existed.
   *
   * @param behind further removals in the same transaction
   */
  readonly removeHeld: (
    error: TaskError,
    behind: Effect.Effect<unknown, StoreFailure>
  ) => Effect.Effect<"settled", LeaseLost | StoreFailure>
}

/** The end of a turn: a terminal state in the patch, or the time of the next turn. */
export interface TaskTurn {
  readonly patch: TaskPatch
  /** When the next turn is due, in ms from now. Ignored if the patch ends the task. */
  readonly againInMs: number
}

/**
 * A kind of task, implemented by its family or the driver of its upstreams. `run` does one turn of work. Between turns
 * a task is only a row, so thousands wait at no cost. A turn may be repeated after a crash.
 */
export interface TaskKind {
  readonly name: string
  /** Concurrent turns of one lane. */
  readonly parallel: number
  /**
   * True while a lane's upstream does not answer: then few of its turns begin at a time. Absent if that never happens.
   */
  readonly isSilent?: (lane: string, nowMs: number) => boolean
  readonly run: (lease: Lease) => Effect.Effect<TaskTurn | "settled", LeaseLost | StoreFailure>
  /** The record that its owner reads, which is also the body of its callbacks. */
  readonly record: (task: Task) => JsonObject
  /** The type of the event that this state is to the account's webhook; undefined if it is none. */
  readonly event?: (task: Task) => string | undefined
  /**
   * Other changes in the same transaction (a hold settled or released). Not called for the creation.
   *
   * @returns the cost in nano-dollars; 0 if there is none or it is not known yet
   */
  readonly changed?: (task: Task) => Effect.Effect<number, StoreFailure>
  /** Removes the kind's own rows of removed tasks, in the same unit of work. */
  readonly removed?: (ids: ReadonlyArray<string>) => Effect.Effect<unknown, StoreFailure>
  /** True if the request is needed after success. Otherwise it is deleted once the upstream has it. */
  readonly keepsRequest?: (task: Task) => boolean
  /** Cancels the task at the upstream. `running`: too late. `ended`: it has ended there already. */
  readonly cancel?: (task: Task) => Effect.Effect<"cancelled" | "running" | "ended" | "unreachable">
  /**
   * Stops a turn of this process, if one is running, and waits for its end. Without it, running tasks can't be
   * cancelled.
   *
   * @returns the outcome if the kind's own turns end the task; undefined if the caller does
   */
  readonly stop?: (task: Task) => Effect.Effect<Cancelled | undefined>
  /** The error of a task whose workers died too often. */
  readonly gaveUp: (reason: string) => TaskError
}

/** Every kind by name. */
export class TaskKinds extends Context.Tag("gateway/tasks/TaskKinds")<TaskKinds, ReadonlyMap<string, TaskKind>>() {}

export const taskKinds = (...kinds: ReadonlyArray<TaskKind>): ReadonlyMap<string, TaskKind> =>
  new Map(kinds.map((kind) => [kind.name, kind]))
