// The workflows of a bundle that an application makes with the plugin: its own and ours. The first is found by an
// alias that the plugin sets. All exports are taken, also a default one, which serves workflow types of no other name.
module.exports = {
  ...require('__steersman_application_workflows'),
  steersmanRun: require('../compose.js').steersmanRun,
  steersmanFolders: require('../compose.js').steersmanFolders,
};
