/**
 * How many cases a slow property draws: those of the suite, times `CASES`, which `bun run test:long properties` sets.
 *
 * @param suite how many of them the suite affords: five seconds at most
 */
export const caseCount = (suite: number): number => Math.ceil(suite * Number(process.env["CASES"] ?? 1))
