import type { Generation } from "../generation/Generation.ts"
import type { Encoding, TextRequest } from "./TextFamily.ts"

/**
 * Applies a function to the encoding of a generation, passthrough or translated. The only place that distinguishes
 * them.
 */
export const encodedBy = <S, P, A, B>(
  text: TextRequest<S, P, A>,
  generation: Generation,
  use: <T>(encoding: Encoding<T, A>) => B
): B => (generation.passthrough === true ? use(text.passed()) : use(text.translated()))
