import { Effect } from "effect"
import { unmatchedPatterns } from "../catalogue/modelWarnings.ts"
import { OwnModels } from "../catalogue/OwnModels.ts"
import { Configuration } from "../config/Configuration.ts"

/** Finds the patterns that match no model of the current configuration. */
export const makeUnmatched = Effect.map(
  Effect.all([Configuration, OwnModels]),
  ([{ current }, own]) =>
    (patterns: ReadonlyArray<string>): ReadonlyArray<string> => {
      const file = current().value
      return unmatchedPatterns(patterns, file, [...own.map(({ id }) => id), ...Object.keys(file.models ?? {})])
    }
)
