import type { Batch } from "../../generation/Generation.ts"
import type { Reader } from "./generationOf.ts"

/** A reader whose answer was served by a tier that only a header tells. */
export const withTier = (reader: Reader, serviceTier: string | undefined): Reader => {
  if (serviceTier === undefined) return reader
  const told = (batch: Batch): Batch =>
    batch.at(-1)?.type === "finished"
      ? batch.map((event) => (event.type === "finished" ? { serviceTier, ...event } : event))
      : batch
  return {
    ...reader,
    push: (bytes) => told(reader.push(bytes)),
    end: () => told(reader.end()),
    *whole(text) {
      for (const batch of reader.whole(text)) yield told(batch)
    }
  }
}
