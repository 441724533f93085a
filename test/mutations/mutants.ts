import { callMutants } from "./callMutants.ts"
import { callbackMutants } from "./callbackMutants.ts"
import { authenticationMutants } from "./authenticationMutants.ts"
import { engineMutants } from "./engineMutants.ts"
import { entrustedMutants } from "./entrustedMutants.ts"
import { fileMutants } from "./fileMutants.ts"
import { hangUpMutants } from "./hangUpMutants.ts"
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
import { rerankMutants } from "./rerankMutants.ts"
import { rowMutants } from "./rowMutants.ts"
import { servedMutants } from "./servedMutants.ts"
import { signInMutants } from "./signInMutants.ts"
import { storedMutants } from "./storedMutants.ts"
import { streamMutants } from "./streamMutants.ts"
import { sumMutants } from "./sumMutants.ts"
import { tokenMutants } from "./tokenMutants.ts"
import { tryMutants } from "./tryMutants.ts"
import { videoMutants } from "./videoMutants.ts"
import { upgradeMutants } from "./upgradeMutants.ts"

export const mutants: ReadonlyArray<Mutant> = [
  ...keyMutants,
  ...authenticationMutants,
  ...entrustedMutants,
  ...fileMutants,
  ...hangUpMutants,
  ...holdMutants,
  ...moneyMutants,
  ...priceMutants,
  ...rowMutants,
  ...servedMutants,
  ...rerankMutants,
  ...storedMutants,
  ...engineMutants,
  ...callbackMutants,
  ...callMutants,
  ...streamMutants,
  ...nodeMutants,
  ...laneMutants,
  ...peopleMutants,
  ...programMutants,
  ...signInMutants,
  ...sumMutants,
  ...tokenMutants,
  ...tryMutants,
  ...loginMutants,
  ...videoMutants,
  ...upgradeMutants
]
