import type { Mutant } from "./Mutant.ts"

const sender = ["test/callbacks/sender.test.ts"]
const store = ["test/callbacks/store.test.ts", "test/callbacks/manyDeliveries.test.ts"]
const leases = ["test/tasks/leases.test.ts"]

/** Tasks in order, once, and their callbacks. */
export const callbackMutants: ReadonlyArray<Mutant> = [
  {
    name: "callbacks: any account lists a task's deliveries",
    file: "src/callbacks/store/DeliveryStore.ts",
    snippet: "WHERE task_id = ${taskId} AND account_id = ${account} ORDER BY sequence",
    replacement: "WHERE task_id = ${taskId} ORDER BY sequence",
    tests: sender
  },
  {
    name: "callbacks: a stranger's redeliver is refused, and sends all the same",
    file: "src/callbacks/store/DeliveryStore.ts",
    snippet:
      "WHERE id = ${id} AND task_id = ${taskId} AND account_id = ${account} AND state <> 'waiting'`\n        return commits.commit(\n          Effect.flatMap(row, (before) => (Option.isNone(before) ? Effect.succeedNone : Effect.zipRight(due, row)))",
    replacement:
      "WHERE id = ${id} AND task_id = ${taskId} AND state <> 'waiting'`\n        return commits.commit(\n          Effect.zipRight(due, row)",
    tests: sender
  },
  {
    name: "callbacks: a sender whose lease has gone writes its outcome",
    file: "src/callbacks/store/deliveryStatements.ts",
    snippet: 'WHERE id = ${""} AND lease_token = ${""} RETURNING id`',
    replacement: 'WHERE id = ${""} AND ${""} IS NOT NULL RETURNING id`',
    tests: store
  },
  {
    name: "callbacks: a later change overtakes one that is under way",
    file: "src/callbacks/store/DeliveryStore.ts",
    snippet: "earlier.every((row) => row.is_dropped || !row.is_open)",
    replacement: "earlier.every((row) => row.is_dropped || row.is_open)",
    tests: sender
  },
  {
    name: "callbacks: a dead process's deliveries wait for their leases",
    file: "src/callbacks/store/deliveryHolding.ts",
    snippet: "WHERE lease_token IS NOT NULL AND lease_owner <> ${node.id()}`)",
    replacement: "WHERE lease_token IS NOT NULL AND lease_owner = ${node.id()}`)",
    tests: store
  },
  {
    name: "callbacks: a dead node's deliveries stay with it",
    file: "src/callbacks/store/deliveryHolding.ts",
    snippet: "WHERE lease_token IS NOT NULL AND lease_owner = ${dead}`",
    replacement: "WHERE lease_token IS NULL AND lease_owner = ${dead}`",
    tests: ["test/cluster/nodes/handedOn.test.ts"]
  },
  {
    name: "tasks: a dead node's tasks stay with it",
    file: "src/tasks/store/holding.ts",
    snippet: "WHERE lease_token IS NOT NULL AND lease_owner = ${dead}`",
    replacement: "WHERE lease_token IS NULL AND lease_owner = ${dead}`",
    tests: ["test/cluster/nodes/handedOn.test.ts"]
  },
  {
    name: "nodes: one that is buried claims tasks",
    file: "src/tasks/store/holding.ts",
    snippet: 'mayClaim: sql`AND ${isLiving(sql, "")}`,',
    replacement: "mayClaim: sql`AND ${\"\"} <> ''`,",
    tests: ["test/cluster/nodes/handedOn.test.ts"]
  },
  {
    name: "nodes: two reap one",
    file: "src/cluster/store/NodeStore.ts",
    snippet: "(taken) => taken.length > 0",
    replacement: "() => true",
    tests: ["test/cluster/nodes"]
  },
  {
    name: "callbacks: of a task two are under way at once",
    file: "src/callbacks/store/deliveryStatements.ts",
    snippet:
      'AND NOT EXISTS (SELECT 1 FROM deliveries WHERE task_id = ${""} AND event = ${""} AND state = \'pending\')`',
    replacement: 'AND ${""} IS NOT NULL AND ${""} IS NOT NULL`',
    tests: [...store, ...sender]
  },
  {
    name: "callbacks: what is not due is sent",
    file: "src/callbacks/store/deliveryStatements.ts",
    snippet: 'WHERE host = ${""} AND next_at <= ${0}',
    replacement: 'WHERE host = ${""} AND next_at <= ${0} + 1000000',
    tests: [...store, ...sender]
  },
  {
    name: "callbacks: the next change may be sent before this one's end is on the disk",
    file: "src/callbacks/store/DeliveryStore.ts",
    snippet: 'leased.terminal === 1 ? "soon" : "durable"',
    replacement: '"soon"',
    tests: store
  },
  {
    name: "sql: a read on SQLite sees what another's open transaction has changed",
    file: "src/sql/sqlite/Client.ts",
    snippet: "this.isBusy || !onlyReads.test(text)",
    replacement: "!onlyReads.test(text)",
    tests: ["test/sql/writeNow.test.ts"]
  },
  {
    name: "callbacks: a sender whose lease has gone gives it back",
    file: "src/callbacks/store/DeliveryStore.ts",
    snippet: "WHERE id = ${leased.id} AND lease_token = ${leased.token}`)",
    replacement: "WHERE id = ${leased.id}`)",
    tests: store
  },
  {
    name: "callbacks: only one of two valid secrets signs",
    file: "src/callbacks/send.ts",
    snippet: '    .join(" ")',
    replacement: "    .at(0)",
    tests: [...sender, "test/callbacks/receiver.test.ts"]
  },
  {
    name: "tasks: a paused worker's late writes change its task",
    file: "src/tasks/store/makeLeases.ts",
    snippet: 'WHERE id = ${""} AND lease_token = ${""} RETURNING id`',
    replacement: 'WHERE id = ${""} AND ${""} IS NOT NULL RETURNING id`',
    tests: leases
  }
]
