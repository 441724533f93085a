import type { Effect, Option } from "effect"
import type { AccountId } from "../contract/callers/Caller.ts"
import type { StoreFailure } from "./StoreFailure.ts"
import type { Cancelled, NewTask, Task, TaskError, TaskPatch, TaskState } from "./Task.ts"
import type { LeaseLost, Rivals, TaskTurn } from "./TaskKind.ts"
import type { TaskListing } from "./TaskListing.ts"
import type { SummaryRow, TaskPage } from "./TaskSummary.ts"

type Stored<A, E = never> = Effect.Effect<A, E | StoreFailure>

/** A task held by one worker. `task` is updated with each write. */
export interface LeasedTask {
  task: Task
  readonly token: string
}

/** A lane with active tasks, and when its next one is due. */
export interface LaneDue {
  readonly lane: string
  readonly due: number
}

/** The number of tasks of a kind in a state, and when the oldest was created, in Unix ms. */
export interface ActiveTasks {
  readonly kind: string
  readonly state: string
  readonly n: number
  readonly oldest: number
}

/** A task whose state changed at a time, in Unix ms. */
export interface ChangedTask {
  readonly id: string
  readonly account: string
  readonly state: string
  readonly updatedAtMs: number
}

/** A request to cancel a task, with its time in Unix ms. */
export interface CancelRequest {
  readonly id: string
  readonly kind: string
  readonly account: AccountId
  readonly askedAtMs: number
}

export interface Expired {
  readonly expired: ReadonlyArray<Task>
  readonly nextMs: Option.Option<number>
}

export interface EndOptions {
  /** Only a task that was not submitted to an upstream. */
  readonly unsubmitted?: boolean
  readonly from?: ReadonlyArray<TaskState>
  readonly error?: TaskError
}

/** Tasks for their families. */
interface OwnedTasks {
  /**
   * Stores a new task, durably. `alongside` runs first in the same unit of work: a task whose hold fails is never
   * stored. `behind` stores further rows of the task.
   */
  readonly insert: <E = never>(
    task: NewTask,
    alongside?: Effect.Effect<unknown, E | StoreFailure>,
    behind?: Stored<unknown>
  ) => Stored<Task, E>
  /** Finds a task of this account and kind; none if it belongs to another account. */
  readonly find: (account: AccountId, kind: string, id: string) => Stored<Option.Option<Task>>
  /**
   * As `find`, for callers that poll. For an unchanged task it may return the same finished effect again, so that its
   * rendered form can be reused.
   */
  readonly read: (account: AccountId, kind: string, id: string) => Stored<Option.Option<Task>>
  /** A page of an account's tasks, newest first, and their total number. */
  readonly list: (page: TaskListing) => Stored<{ readonly total: number; readonly tasks: ReadonlyArray<Task> }>
  /**
   * Ends a task, held or not. The holder's lease is lost, so its later writes change nothing. Returns none if the task
   * had ended already or is not in one of the states in `from`.
   */
  readonly end: (
    id: string,
    state: "cancelled" | "expired" | "failed",
    options?: EndOptions
  ) => Stored<Option.Option<Task>>
  /** Removes an ended task for good; false if there is none. */
  readonly remove: (account: AccountId, kind: string, id: string) => Stored<boolean>
  /** Changes the result of a task that has succeeded. Run it in a unit of work; false if there is none. */
  readonly amend: (id: string, change: (result: unknown) => unknown) => Stored<boolean>
}

/**
 * Tasks for workers. Every write names the lease's token, so a worker that was paused for longer than its lease, or
 * whose task was ended meanwhile, changes nothing.
 */
interface LeasedTasks {
  /** Every lane with active tasks. */
  readonly lanes: Stored<ReadonlyArray<LaneDue>>
  /** Claims up to `limit` due tasks of a lane, the oldest due first. Two workers never claim the same one. */
  readonly claim: (lane: string, limit: number) => Stored<ReadonlyArray<LeasedTask>>
  /** Renews the leases of all held tasks; returns the ids of those that are still held. */
  readonly renew: (
    leased: ReadonlyArray<{ readonly task: { readonly id: string }; readonly token: string }>
  ) => Stored<ReadonlySet<string>>
  /** Fails if the lease is lost. In a unit of work, no other worker gets the task before its end. */
  readonly held: (leased: LeasedTask) => Stored<void, LeaseLost>
  /** Stores a patch and keeps the lease. */
  readonly write: (leased: LeasedTask, patch: TaskPatch) => Stored<Task, LeaseLost>
  /** Ends a turn: stores the patch and gives the task back until the next turn. */
  readonly settle: (leased: LeasedTask, turn: TaskTurn) => Stored<Task, LeaseLost>
  /** Removes a held task: it fails, which ends its hold, and is deleted with its callbacks, in one unit of work. */
  readonly removeHeld: (leased: LeasedTask, error: TaskError, behind: Stored<unknown>) => Stored<void, LeaseLost>
  /** Gives a task back unchanged; `crashed` counts an attempt. */
  readonly release: (
    leased: LeasedTask,
    options: { readonly crashed: boolean; readonly againInMs: number }
  ) => Stored<void, LeaseLost>
  /** The task's request; null once it is deleted. */
  readonly request: (id: string) => Stored<unknown>
  /** Other tasks of the lane that own one of these ids, or were submitted at about that time and have no id. */
  readonly rivals: (task: Task, upstreamIds: ReadonlyArray<string>, submitAtMs: number) => Stored<Rivals>
  /** Makes tasks held by a previous process due; returns their number. */
  readonly takeOver: Stored<number>
  /** How long ago the oldest lease expired whose task no worker has claimed since, in ms; 0 if there is none. */
  readonly oldestExpiredLeaseMs: Stored<number>
}

/** Tasks for operators, and the store's maintenance. */
interface AdministeredTasks {
  /** Expires every task past its deadline; returns them and the next deadline. */
  readonly expireDue: Stored<Expired>
  /** Removes up to `limit` tasks that ended before a time; returns their number. */
  readonly purge: (endedBeforeMs: number, limit: number) => Stored<number>
  /** Tasks that have not ended, counted up to a hundred thousand, by kind and state. */
  readonly active: Stored<ReadonlyArray<ActiveTasks>>
  /** Those of these tasks that have not ended. */
  readonly open: (ids: ReadonlyArray<string>) => Stored<ReadonlySet<string>>
  /** The number of an account's tasks that have not ended. */
  readonly unfinished: (account: string) => Stored<number>
  /** Tasks whose state changed since a time, in Unix ms; a thousand at most. */
  readonly changedSince: (sinceMs: number) => Stored<ReadonlyArray<ChangedTask>>
  /** The number of tasks that each node holds, by the node's id. */
  readonly heldByNodes: Stored<ReadonlyMap<string, number>>
  readonly summary: (id: string) => Stored<SummaryRow | undefined>
  readonly summaries: (page: TaskPage) => Stored<ReadonlyArray<SummaryRow>>
  /** Removes up to `limit` tasks of an account, ended or not; returns their ids. */
  readonly erase: (account: string, limit: number) => Stored<ReadonlyArray<string>>
  /** Stores a request to cancel a task. An answered one is opened again. */
  readonly askToCancel: (id: string, nowMs: number) => Stored<void>
  /** The answer to it, if there is one. Removing a task removes its request. */
  readonly cancelOutcome: (id: string) => Stored<Option.Option<Cancelled>>
  /** Some of the unanswered requests, oldest first. */
  readonly cancelRequests: Stored<ReadonlyArray<CancelRequest>>
  readonly answerCancel: (id: string, answer: Cancelled) => Stored<void>
}

/** Everything that the engine needs of a task store. */
export interface TaskStorage extends OwnedTasks, LeasedTasks, AdministeredTasks {}
