import { expect, it } from "@effect/vitest"
import {
  allMeasures,
  columnsOf,
  countOf,
  countsBy,
  inputIn,
  noColumns,
  noCounts,
  pieceMeasures
} from "../../../src/contract/records/measures.ts"
import { measures } from "../../../src/contract/records/measureTable.ts"

const used = { ...noCounts, inputTokens: 1, cacheReadTokens: 20, cacheWriteTokens: 300, outputTokens: 4_000 }

it("makes the columns of each table", () => {
  expect(columnsOf(noColumns.usage)({ ...used, cacheWriteHourTokens: 200, videoFrames: 24 })).toMatchObject({
    input_tokens: 1,
    cache_read_tokens: 20,
    cache_write_tokens: 300,
    cache_write_1h_tokens: 200,
    output_tokens: 4_000,
    reasoning_tokens: 0,
    searches: 0,
    video_frames: 24,
    ...Object.fromEntries(pieceMeasures.map((measure) => [measure, 0]))
  })
  expect(Object.keys(columnsOf(noColumns.usage_hours)(undefined))).not.toContain("searches")
  expect(columnsOf(noColumns.usage_hours)({ ...used, rerankUnits: 2 })).toMatchObject({ rerank_units: 2 })
})

it("counts a rare part as at most its whole", () => {
  expect(countOf({ ...used, cacheWriteHourTokens: 301 }, "cache_write_1h_tokens")).toBe(300)
  expect(countOf({ ...used, reasoningTokens: 4_001 }, "reasoning_tokens")).toBe(4_001)
})

it("leaves out rare counts of zero, and no others", () => {
  expect(countsBy(() => 0)).toEqual(noCounts)
  expect(Object.keys(countsBy(() => 1))).toHaveLength(allMeasures.length)
})

it("adds up the whole input, without parts of it", () => {
  expect(inputIn(columnsOf(noColumns.usage)({ ...used, cacheWriteHourTokens: 200 }))).toBe(321)
})

it("names what each measure is a part of", () => {
  const names = allMeasures.map((measure) => measures[measure].name)
  for (const row of Object.values(measures)) if ("part" in row) expect(names).toContain(row.part.of)
})
