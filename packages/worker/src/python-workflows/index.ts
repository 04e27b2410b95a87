export { runPythonWorkflow } from './run-python-workflow.ts'
