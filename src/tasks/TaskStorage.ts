import type { Effect, Option } from "effect"
import type { AccountId } from "../contract/Caller.ts"
import type { StoreFailure } from "./StoreFailure.ts"
import type { Cancelled, NewTask, Task, TaskError, TaskPatch, TaskState } from "./Task.ts"
import type { LeaseLost, Rivals, TaskTurn } from "./TaskKind.ts"
import type { TaskListing } from "./TaskListing.ts"
import type { SummaryRow, TaskPage } from "./TaskSummary.ts"

type Stored<A, E = never> = Effect.Effect<A, E | StoreFailure>

/** A task in the hands of one worker. `task` follows what it writes. */
export interface LeasedTask {
  task: Task
  readonly token: string
}

/** A lane with active tasks, and when its next one is due. */
export interface LaneDue {
  readonly lane: string
  readonly due: number
}

/** How many tasks of a kind are in a state, and when the oldest of them was made, in Unix ms. */
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

/** A task that was asked to be cancelled, at a time in Unix ms. */
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
  /** Only a task that no upstream was asked for. */
  readonly unsubmitted?: boolean
  readonly from?: ReadonlyArray<TaskState>
  readonly error?: TaskError
}

/** Tasks as their families see them. */
interface OwnedTasks {
  /**
   * Stores a new task; it is durable when this succeeds. `alongside` happens in the same unit of work and before it: a
   * task whose hold fails is never there. `behind` is what belongs to the task.
   */
  readonly insert: <E = never>(
    task: NewTask,
    alongside?: Effect.Effect<unknown, E | StoreFailure>,
    behind?: Stored<unknown>
  ) => Stored<Task, E>
  /** A task of this account and kind; another account's looks like none. */
  readonly find: (account: AccountId, kind: string, id: string) => Stored<Option.Option<Task>>
  /**
   * As `find`, for callers who poll. A task that has not changed may be answered by the very same finished effect: what
   * is rendered of it is then not rendered again.
   */
  readonly read: (account: AccountId, kind: string, id: string) => Stored<Option.Option<Task>>
  /** One page of an account's tasks, newest first, and how many there are in all. */
  readonly list: (page: TaskListing) => Stored<{ readonly total: number; readonly tasks: ReadonlyArray<Task> }>
  /**
   * Ends a task, held or not: the holder's lease is gone, so its later writes change nothing. Answers none where it
   * had ended already, or is not in one of `from`.
   */
  readonly end: (
    id: string,
    state: "cancelled" | "expired" | "failed",
    options?: EndOptions
  ) => Stored<Option.Option<Task>>
  /** Removes an ended task for good; false where there is none. */
  readonly remove: (account: AccountId, kind: string, id: string) => Stored<boolean>
  /** Changes the result of a task that has succeeded. To be run in a unit of work; false where there is none. */
  readonly amend: (id: string, change: (result: unknown) => unknown) => Stored<boolean>
}

/**
 * Tasks as their workers see them. Every write names the lease's token, so a worker that was paused for longer than its
 * lease, or whose task was ended meanwhile, changes nothing.
 */
interface LeasedTasks {
  /** Every lane with active tasks. */
  readonly lanes: Stored<ReadonlyArray<LaneDue>>
  /** Takes up to `limit` due tasks of a lane, the oldest due first; no two workers take the same. */
  readonly claim: (lane: string, limit: number) => Stored<ReadonlyArray<LeasedTask>>
  /** Keeps the leases of all tasks in hand; answers the ids of those that are still held. */
  readonly renew: (
    leased: ReadonlyArray<{ readonly task: { readonly id: string }; readonly token: string }>
  ) => Stored<ReadonlySet<string>>
  /** Fails where the lease is lost; in a unit of work no other worker gets it before its end. */
  readonly held: (leased: LeasedTask) => Stored<void, LeaseLost>
  /** Stores a patch and keeps the task. */
  readonly write: (leased: LeasedTask, patch: TaskPatch) => Stored<Task, LeaseLost>
  /** Ends a turn: the patch, and the task given back until the next one. */
  readonly settle: (leased: LeasedTask, turn: TaskTurn) => Stored<Task, LeaseLost>
  /** Takes a task back: it fails, which ends its hold, and is gone with its callbacks, all in one unit of work. */
  readonly withdraw: (leased: LeasedTask, error: TaskError, behind: Stored<unknown>) => Stored<void, LeaseLost>
  /** Gives a task back as it is; `crashed` counts an attempt. */
  readonly release: (
    leased: LeasedTask,
    options: { readonly crashed: boolean; readonly againInMs: number }
  ) => Stored<void, LeaseLost>
  /** The task's request; null once deleted. */
  readonly request: (id: string) => Stored<unknown>
  /** The lane's other tasks that have one of these ids, or were submitted about then and have none. */
  readonly rivals: (task: Task, upstreamIds: ReadonlyArray<string>, submitAtMs: number) => Stored<Rivals>
  /** Makes what a process before this one held due; answers how much that was. */
  readonly takeOver: Stored<number>
  /** How long ago the oldest lease ran out whose task no worker took over, in ms; 0 where there is none. */
  readonly oldestExpiredLeaseMs: Stored<number>
}

/** Tasks as those who run the gateway see them, and what keeps the store in order. */
interface AdministeredTasks {
  /** Ends every task whose time is over; answers them and when the next deadline is. */
  readonly expireDue: Stored<Expired>
  /** Removes up to `limit` tasks that ended before a time; answers how many there were. */
  readonly purge: (endedBeforeMs: number, limit: number) => Stored<number>
  /** Tasks that have not ended, counted up to a hundred thousand, by kind and state. */
  readonly active: Stored<ReadonlyArray<ActiveTasks>>
  /** Which of these tasks have not ended. */
  readonly open: (ids: ReadonlyArray<string>) => Stored<ReadonlySet<string>>
  /** How many tasks of an account have not ended. */
  readonly unfinished: (account: string) => Stored<number>
  /** Tasks whose state changed since a time, in Unix ms; a thousand at most. */
  readonly changedSince: (sinceMs: number) => Stored<ReadonlyArray<ChangedTask>>
  /** How many tasks each node works on, by the node's id. */
  readonly heldByNodes: Stored<ReadonlyMap<string, number>>
  readonly summary: (id: string) => Stored<SummaryRow | undefined>
  readonly summaries: (page: TaskPage) => Stored<ReadonlyArray<SummaryRow>>
  /** Removes up to `limit` tasks of an account, ended or not; answers their ids. */
  readonly erase: (account: string, limit: number) => Stored<ReadonlyArray<string>>
  /** Leaves a request to cancel; one that was answered is open again. */
  readonly askToCancel: (id: string, nowMs: number) => Stored<void>
  /** The answer to it, if there is one. A task that is gone took its request with it. */
  readonly cancelOutcome: (id: string) => Stored<Option.Option<Cancelled>>
  /** Some of the requests that wait for an answer, the oldest first. */
  readonly cancelRequests: Stored<ReadonlyArray<CancelRequest>>
  readonly answerCancel: (id: string, answer: Cancelled) => Stored<void>
}

/** Everything that the engine needs of a task store. */
export interface TaskStorage extends OwnedTasks, LeasedTasks, AdministeredTasks {}
