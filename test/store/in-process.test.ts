import { createInProcessStore } from '../../src/store/in-process/index.ts';
import { describeStore } from './conformance.ts';

describeStore('in-process store', async () => createInProcessStore());
