/** The files and the code of a folder, read before any of it acts. */
export { findLocalCode } from './code/local-code.ts';
export { isProgram, type MachineModule, machineModules, machinesFolder } from './code/machine-modules.ts';
export { muteModuleWarnings } from './code/mute-warnings.ts';
export { readRegularFile } from './code/regular-file.ts';
export { machineEntries } from './survey/survey.ts';
