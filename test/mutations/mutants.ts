import { betaMutants } from "./betaMutants.ts"
import { boundMutants } from "./boundMutants.ts"
import { callMutants } from "./callMutants.ts"
import { cacheMutants } from "./cacheMutants.ts"
import { callbackMutants } from "./callbackMutants.ts"
import { agentModelMutants } from "./agentModelMutants.ts"
import { authenticationMutants } from "./authenticationMutants.ts"
import { clientToolMutants } from "./clientToolMutants.ts"
import { engineMutants } from "./engineMutants.ts"
import { entrustedMutants } from "./entrustedMutants.ts"
import { fileMutants } from "./fileMutants.ts"
import { holdMutants } from "./holdMutants.ts"
import { keyMutants } from "./keyMutants.ts"
import { laneMutants } from "./laneMutants.ts"
import { loginMutants } from "./loginMutants.ts"
import type { Mutant } from "./Mutant.ts"
import { moneyMutants } from "./moneyMutants.ts"
import { nodeMutants } from "./nodeMutants.ts"
import { peopleMutants } from "./peopleMutants.ts"
import { priceMutants } from "./priceMutants.ts"
import { programMutants } from "./programMutants.ts"
import { readFileMutants } from "./readFileMutants.ts"
import { signInMutants } from "./signInMutants.ts"
import { streamMutants } from "./streamMutants.ts"
import { tokenMutants } from "./tokenMutants.ts"
import { tryMutants } from "./tryMutants.ts"
import { unfinishedMutants } from "./unfinishedMutants.ts"
import { videoMutants } from "./videoMutants.ts"
import { upgradeMutants } from "./upgradeMutants.ts"

export const mutants: ReadonlyArray<Mutant> = [
  ...keyMutants,
  ...authenticationMutants,
  ...entrustedMutants,
  ...fileMutants,
  ...holdMutants,
  ...moneyMutants,
  ...priceMutants,
  ...engineMutants,
  ...callbackMutants,
  ...callMutants,
  ...streamMutants,
  ...boundMutants,
  ...nodeMutants,
  ...laneMutants,
  ...peopleMutants,
  ...programMutants,
  ...signInMutants,
  ...tokenMutants,
  ...tryMutants,
  ...loginMutants,
  ...unfinishedMutants,
  ...videoMutants,
  ...readFileMutants,
  ...clientToolMutants,
  ...betaMutants,
  ...cacheMutants,
  ...upgradeMutants,
  ...agentModelMutants
]
