// The 3D view alone, with a scene and signals that the test gives: window.show(scene, rows), window.seek(time).
import { mount } from 'svelte';
import '../../src/app/base.css';
import { sampler } from './signals.mjs';
import Stand from './Stand.svelte';

const stand = mount(Stand, { target: document.getElementById('app') });
window.show = (scene, rows) => stand.show(scene, sampler(scene, rows));
window.seek = (time) => stand.seek(time);
