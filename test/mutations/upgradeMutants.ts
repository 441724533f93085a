import type { Mutant } from "./Mutant.ts"

const older = ["test/ledger/nodes/olderNodes.test.ts"]
const nodes = ["test/cluster/nodes/node.test.ts"]
const statements = "src/ledger/store/usageStatements.ts"
const repair = "src/ledger/store/sumRepair.ts"

/** What nodes of an older version must not do to what newer ones store. */
export const upgradeMutants: ReadonlyArray<Mutant> = [
  {
    name: "upgrade: a database from before 1.0.0 is migrated as if it had its schema",
    file: "src/sql/migrations.ts",
    snippet: "stored > 0 && stored < baselineVersion",
    replacement: "stored > baselineVersion && stored < baselineVersion",
    tests: ["test/sql/baseline.test.ts"]
  },
  {
    name: "upgrade: an older node adds up usage without the columns that it doesn't know",
    file: statements,
    snippet: "=> `~${id}`",
    replacement: "=> id",
    tests: older
  },
  {
    name: "upgrade: a node adds up a newer one's usage without the columns that it doesn't know",
    file: statements,
    snippet: "WHERE fold <= ${sql.literal(String(foldVersion))}",
    replacement: "WHERE fold <= ${sql.literal(String(foldVersion + 1))}",
    tests: older
  },
  {
    name: "upgrade: two processes that repair sums at once add what they lack twice",
    file: repair,
    snippet: "locks.one(lock[0]).taken ?",
    replacement: "lock.length > 0 || locks.one(lock[0]).taken ?",
    tests: older
  },
  {
    name: "upgrade: usage that comes while sums are repaired is missing in them",
    file: repair,
    snippet: "until > all.last ?",
    replacement: "until > Infinity ?",
    tests: older
  },
  {
    name: "upgrade: usage that is not added up yet is added to sums twice",
    file: repair,
    snippet: "AND hour < ${toMs} AND ${sql.literal(isUsed)}",
    replacement: "AND hour < ${toMs} AND NOT (${sql.literal(isUsed)})",
    tests: older
  },
  {
    name: "upgrade: usage that is counted under a wildcard is added to sums twice",
    file: repair,
    snippet: "AND each_one.model LIKE patterns.text",
    replacement: "AND each_one.model = patterns.text",
    tests: older
  },
  {
    name: "upgrade: sums are repaired while an older node may still take from them",
    file: "src/ledger/shared/repairSums.ts",
    snippet: "node.sharedFormat() < formats.versionedSums",
    replacement: "node.sharedFormat() < -formats.versionedSums",
    tests: older
  },
  {
    name: "upgrade: a request is sealed while an older node may claim its task",
    file: "src/tasks/store/makeTasks.ts",
    snippet: "node.sharedFormat() >= formats.sealedRequests ?",
    replacement: "node.sharedFormat() >= -formats.sealedRequests ?",
    tests: ["test/cluster/nodes/requests.test.ts"]
  },
  {
    name: "upgrade: the newest node decides what all can read",
    file: "src/cluster/store/NodeStore.ts",
    snippet: "COALESCE(MIN(format), 0)",
    replacement: "COALESCE(MAX(format), 0)",
    tests: nodes
  },
  {
    name: "upgrade: an older node comes back among newer ones",
    file: "src/sql/migrations/0059_olderNodes.ts",
    snippet: "AND value > NEW.format",
    replacement: "AND value > NEW.format + 9",
    tests: nodes
  }
]
