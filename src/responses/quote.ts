import { quoterOf } from "../pipeline/quoterOf.ts"
import { CreateResponse } from "./CreateResponse.ts"
import { makeResponseFamily } from "./responseFamily.ts"

/** Quotes a body of `POST /v1/responses`, including the conversation that it continues. */
export const makeResponsesQuoter = quoterOf("/v1/responses", CreateResponse, makeResponseFamily)
