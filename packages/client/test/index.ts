export {
  type ContractHandlers,
  type ContractRequest,
  type ContractServer,
  startContractServer,
} from './contract-server.ts'
export { sampleBlueprint, sampleDeployment, sampleEvent, sampleExecution, sampleList } from './samples.ts'
