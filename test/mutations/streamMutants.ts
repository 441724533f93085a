import type { Mutant } from "./Mutant.ts"

/** Streams without a reader or without a source. */
export const streamMutants: ReadonlyArray<Mutant> = [
  {
    name: "videos: a task that is taken back keeps its hold",
    file: "src/tasks/store/removal.ts",
    snippet: 'yield* changed(applyPatch(task, { state: "failed", error }, nowMs))',
    replacement: "yield* Effect.void",
    tests: ["test/e2e/upstream-videos.test.ts"]
  },
  {
    name: "videos: an unanswered submit is made again elsewhere",
    file: "src/videos/VideoKind.ts",
    snippet: ": again({ fingerprint: unansweredOf(upstream, task, sent) }, reconcileAfterMs)",
    replacement: ": again({ submitAtMs: null }, 0)",
    tests: ["test/videos/videoKind.test.ts", "test/videos/videoPlaces.test.ts", "test/videos/silentUpstream.test.ts"]
  }
]
