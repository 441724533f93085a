import { Context, Data } from "effect"
import type { Effect, Option } from "effect"
import type { JsonObject } from "../contract/fields.ts"
import type { Trace } from "../contract/Trace.ts"
import type { StoreFailure } from "./StoreFailure.ts"
import type { Task, TaskError, TaskPatch } from "./Task.ts"

/** Another worker holds the task, or it has ended: whatever this one still writes changes nothing. */
export class LeaseLost extends Data.TaggedError("LeaseLost")<{ readonly id: string }> {}

export interface Rivals {
  readonly taken: ReadonlySet<string>
  /** Their requests; null for one that is no longer stored. */
  readonly unheard: ReadonlyArray<unknown>
}

/** A task that a worker holds for as long as its lease lives. */
export interface Lease {
  readonly task: Task
  /** The turn's place in the trace of the request that made the task; absent where nobody records it. */
  readonly trace?: Trace | undefined
  /** The task's request; null once it was deleted. */
  readonly request: Effect.Effect<unknown, StoreFailure>
  /**
   * Of the lane's other tasks: whose these ids of the upstream's are, and those submitted within some minutes of that
   * time that have no id either.
   */
  readonly rivals: (upstreamIds: ReadonlyArray<string>, submitAtMs: number) => Effect.Effect<Rivals, StoreFailure>
  /** The task as it is stored now, by this worker or another; none once removed. */
  readonly stored: Effect.Effect<Option.Option<Task>, StoreFailure>
  /** Fails where the task is not held any more. To be run in a transaction, for what only its holder may store. */
  readonly held: Effect.Effect<void, LeaseLost | StoreFailure>
  /** Stores a patch now, durably, and answers the task as it is then. */
  readonly write: (patch: TaskPatch) => Effect.Effect<Task, LeaseLost | StoreFailure>
  /** Ends the turn now, for a kind that has something to do should that fail. */
  readonly settle: (turn: TaskTurn) => Effect.Effect<"settled", LeaseLost | StoreFailure>
  /**
   * Ends the turn and takes the task back, as if it had never been: its record, its hold and its callbacks.
   *
   * @param behind what else is undone, in the same transaction
   */
  readonly withdraw: (
    error: TaskError,
    behind: Effect.Effect<unknown, StoreFailure>
  ) => Effect.Effect<"settled", LeaseLost | StoreFailure>
}

/** How a turn of work ends: with a terminal state in the patch, or with a time to go on at. */
export interface TaskTurn {
  readonly patch: TaskPatch
  /** When the next turn is due, in ms from now. Not read where the patch ends the task. */
  readonly againInMs: number
}

/**
 * One kind of task: what its family (or the driver of its upstreams) teaches the engine. `run` does one turn of work;
 * between turns a task is a row and nothing else, so thousands wait at no cost. A turn may be repeated after a crash.
 */
export interface TaskKind {
  readonly name: string
  /** Turns of one lane at a time. */
  readonly parallel: number
  /** True if a lane's upstream does not answer: then few of its turns begin at a time. Absent if it is never so. */
  readonly isSilent?: (lane: string, nowMs: number) => boolean
  readonly run: (lease: Lease) => Effect.Effect<TaskTurn | "settled", LeaseLost | StoreFailure>
  /** The record as its owner reads it, and so the body of its callbacks. */
  readonly record: (task: Task) => JsonObject
  /**
   * Other changes of the same transaction (a hold settled or released). Not called for the creation.
   *
   * @returns the cost in nano-dollars; 0 if nothing, or not known yet
   */
  readonly changed?: (task: Task) => Effect.Effect<number, StoreFailure>
  /** Removes the rows that the kind has for removed tasks, in the same unit of work. */
  readonly removed?: (ids: ReadonlyArray<string>) => Effect.Effect<unknown, StoreFailure>
  /** True if the request is needed after success. Otherwise it is deleted once the upstream has it. */
  readonly keepsRequest?: (task: Task) => boolean
  /** Asks the upstream to stop it. `running`: too late. `ended`: over there already. */
  readonly cancel?: (task: Task) => Effect.Effect<"cancelled" | "running" | "ended" | "unreachable">
  /**
   * Stops a turn of this process, if there is one, and returns once it has stopped. Where absent, what runs can't be
   * cancelled.
   */
  readonly stop?: (task: Task) => Effect.Effect<void>
  /** The error of a task whose workers died too often. */
  readonly gaveUp: (reason: string) => TaskError
}

/** Every kind by name. */
export class TaskKinds extends Context.Tag("gateway/tasks/TaskKinds")<TaskKinds, ReadonlyMap<string, TaskKind>>() {}

export const taskKinds = (...kinds: ReadonlyArray<TaskKind>): ReadonlyMap<string, TaskKind> =>
  new Map(kinds.map((kind) => [kind.name, kind]))
