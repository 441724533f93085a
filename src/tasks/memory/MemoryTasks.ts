import { Clock, Effect, Option } from "effect"
import type { JsonObject } from "../../contract/fields.ts"
import type { Cancelled, Task } from "../Task.ts"
import type { UnitOfWork } from "../UnitOfWork.ts"

/** A task with the engine's fields. Immutable: changes replace it. */
export interface MemoryTask {
  readonly task: Task
  /** JSON; undefined once deleted. */
  readonly request: string | undefined
  /** That of a submit without an answer (`TaskPatch`). */
  readonly fingerprint: JsonObject | undefined
  readonly nextRunAtMs: number
  readonly token: string | null
  readonly startedAtMs: number | null
  readonly costNanoUsd: number
  readonly cancel: { readonly askedAtMs: number; readonly outcome: Cancelled | undefined } | undefined
}

/** All tasks of this process, by id. */
export class MemoryTasks {
  readonly #tasks = new Map<string, MemoryTask>()
  /** Tasks that were removed after a submit: their videos stay in the upstream's list for a while. */
  readonly #removed = new Set<MemoryTask>()
  readonly #unit: UnitOfWork

  constructor(unit: UnitOfWork) {
    this.#unit = unit
  }

  get(id: string): MemoryTask | undefined {
    return this.#tasks.get(id)
  }

  filter(is: (one: MemoryTask) => boolean): ReadonlyArray<MemoryTask> {
    return [...this.#tasks.values()].filter(is)
  }

  /** Removes an ended task, and keeps its submit until it is purged. */
  remove(one: MemoryTask): void {
    this.set(one.task.id, undefined)
    if (one.task.submitAtMs !== null) this.#removed.add(one)
  }

  purgeRemoved(beforeMs: number): void {
    for (const one of this.#removed) if ((one.task.submitAtMs ?? 0) < beforeMs) this.#removed.delete(one)
  }

  removedOf(lane: string): ReadonlyArray<MemoryTask> {
    return [...this.#removed].filter(({ task }) => task.lane === lane)
  }

  /** Replaces a task, or removes it (undefined). Undone if the unit of work fails. */
  put(id: string, next: MemoryTask | undefined): Effect.Effect<void> {
    return Effect.suspend(() => {
      const before = this.#tasks.get(id)
      this.set(id, next)
      return this.#unit.onUndo(() => this.set(id, before))
    })
  }

  /** As `put`, but not undone. */
  set(id: string, next: MemoryTask | undefined): void {
    if (next === undefined) this.#tasks.delete(id)
    else this.#tasks.set(id, next)
  }

  change(id: string, by: Partial<MemoryTask>): Effect.Effect<void> {
    return Effect.suspend(() => {
      const one = this.#tasks.get(id)
      return one === undefined ? Effect.void : this.put(id, { ...one, ...by })
    })
  }
}

export const isActive = ({ task }: MemoryTask): boolean => task.endedAtMs === null

/** Active tasks, the first due first. */
export const dueFirst = (some: ReadonlyArray<MemoryTask>): ReadonlyArray<MemoryTask> =>
  some.toSorted((one, other) => one.nextRunAtMs - other.nextRunAtMs)

/** Newest first, by time and then by id. */
export const newestFirst = (some: ReadonlyArray<MemoryTask>): ReadonlyArray<MemoryTask> =>
  some.toSorted(
    ({ task: one }, { task: other }) =>
      other.createdAtMs - one.createdAtMs || (one.id < other.id ? 1 : one.id > other.id ? -1 : 0)
  )

export const withNow = <A, E>(use: (nowMs: number) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(Clock.currentTimeMillis, use)

export const least = (numbers: ReadonlyArray<number>): Option.Option<number> =>
  numbers.length === 0 ? Option.none() : Option.some(numbers.reduce((one, other) => Math.min(one, other)))
