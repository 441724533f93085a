import type { Mutant } from "./Mutant.ts"

const tests = ["test/sums/sumsOf.test.ts"]
const file = "src/sums/sumsOf.ts"

/** What is read from sums of hours and days, and what from rows. */
export const sumMutants: ReadonlyArray<Mutant> = [
  {
    name: "sums: the hour in which a span begins counts as a whole one",
    file,
    snippet: "const fromMs = Math.ceil(",
    replacement: "const fromMs = Math.floor(",
    tests
  },
  {
    name: "sums: the hour in which a span ends counts as a whole one",
    file,
    snippet: "(span.toMs >= nowMs ?",
    replacement: "(span.toMs >= 0 ?",
    tests
  },
  {
    name: "sums: the time after the last whole hour is lost",
    file,
    snippet: "{ fromMs: toMs, toMs: span.toMs }",
    replacement: "{ fromMs: toMs, toMs }",
    tests
  },
  {
    name: "sums: the time before the first whole hour is lost",
    file,
    snippet: "{ fromMs: span.fromMs, toMs: fromMs }",
    replacement: "{ fromMs, toMs: fromMs }",
    tests
  },
  {
    name: "sums: hours that have no rows any more count where rows are asked for",
    file,
    snippet: "scope?.wholeFromMs ?? -Infinity",
    replacement: "-Infinity",
    tests
  },
  {
    name: "sums: steps shorter than an hour are whole hours",
    file,
    snippet: "stepMs >= lengths.hour",
    replacement: "true",
    tests
  },
  {
    name: "sums: days answer for upstreams, which they do not know",
    file,
    snippet: "columns.includes(column)",
    replacement: "true",
    tests
  },
  {
    name: "sums: rows of an account's end count twice",
    file: "src/ledger/store/usageBooks.ts",
    snippet: "sql`at < ${toMs}`",
    replacement: "sql`at <= ${toMs}`",
    tests
  },
  {
    name: "sums: requests at a span's end count",
    file: "src/requests/store/requestBook.ts",
    snippet: "sql`at < ${toMs}`",
    replacement: "sql`at <= ${toMs}`",
    tests
  }
]
