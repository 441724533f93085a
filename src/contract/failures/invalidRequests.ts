import { Either } from "effect"
import type { ParseResult } from "effect"
import { describe } from "../describe.ts"
import { InvalidRequest } from "./Failure.ts"

/** Turns a decoder's issue into the caller's `InvalidRequest`. */
export const toInvalidRequest =
  <A>(decode: (input: unknown) => Either.Either<A, ParseResult.ParseIssue>) =>
  (input: unknown): Either.Either<A, InvalidRequest> =>
    Either.mapLeft(decode(input), (issue) => new InvalidRequest(describe(issue)))
