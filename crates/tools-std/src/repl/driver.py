# Runs pieces of code one after the other in one `__main__`. Requests are lines of JSON on descriptor 3, answers
# go to descriptor 4; standard input is empty, standard output and error are the code's own.
def _drive():
    import ast, builtins, inspect, json, linecache, os, signal, site, sys, traceback, types
    import __future__

    own = os.getpid()
    os.set_inheritable(3, False)
    os.set_inheritable(4, False)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")

    # Started in isolation, so that no file of the folder runs before the first code does. What users expect to
    # import from comes now: the working directory, PYTHONPATH, their own packages.
    path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:0] = [""] + [entry for entry in path if os.path.isabs(entry)]
    if sys.prefix == sys.base_prefix and "PYTHONNOUSERSITE" not in os.environ:
        own_packages = site.getusersitepackages()
        if os.path.isdir(own_packages):
            site.addsitedir(own_packages)

    main = types.ModuleType("__main__")
    main.__builtins__ = builtins
    sys.modules["__main__"] = main
    sys.argv = [""]

    base = getattr(ast, "PyCF_ALLOW_TOP_LEVEL_AWAIT", 0)
    futures = 0
    for name in __future__.all_feature_names:
        futures |= getattr(__future__, name).compiler_flag
    state = {"running": False, "flags": base, "loop": None}

    def interrupt(_signal, _frame):
        if state["running"]:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)

    def wait_for(coroutine):
        import asyncio

        if state["loop"] is None or state["loop"].is_closed():
            state["loop"] = asyncio.new_event_loop()
            asyncio.set_event_loop(state["loop"])
        loop = state["loop"]
        task = loop.create_task(coroutine)
        try:
            loop.run_until_complete(task)
        except KeyboardInterrupt:
            task.cancel()
            try:
                loop.run_until_complete(task)
            except BaseException:
                pass
            raise

    def execute(code, name):
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        tree = compile(code, name, "exec", ast.PyCF_ONLY_AST | state["flags"], dont_inherit=True)
        parts = [(tree, "exec")]
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            parts.append((ast.Interactive([tree.body.pop()]), "single"))
        for part, mode in parts:
            if not part.body:
                continue
            compiled = compile(part, name, mode, state["flags"], dont_inherit=True)
            state["flags"] |= compiled.co_flags & futures
            if compiled.co_flags & inspect.CO_COROUTINE:
                wait_for(eval(compiled, main.__dict__))
            else:
                exec(compiled, main.__dict__)

    def show(error):
        trace = error.__traceback__
        while trace is not None and not trace.tb_frame.f_code.co_filename.startswith("<cell "):
            trace = trace.tb_next
        # The frame that raised the interrupt is none of the code.
        inner = trace
        while inner is not None and inner.tb_next is not None:
            if inner.tb_next.tb_frame.f_code is interrupt.__code__:
                inner.tb_next = None
                break
            inner = inner.tb_next
        text = "".join(traceback.format_exception(type(error), error, trace))
        try:
            sys.stderr.write(text)
        except Exception:
            os.write(2, text.encode("utf-8", "backslashreplace"))

    def run(code, name):
        state["running"] = True
        try:
            try:
                execute(code, name)
            finally:
                state["running"] = False
            return "ok"
        except SystemExit:
            raise
        except KeyboardInterrupt as error:
            show(error)
            return "interrupted"
        except BaseException as error:
            show(error)
            return "error"

    requests = os.fdopen(3, "rb")
    while True:
        line = requests.readline()
        if not line:
            os._exit(0)
        request = json.loads(line)
        try:
            outcome = run(request["code"], "<cell %d>" % request["id"])
        except SystemExit:
            if os.getpid() == own:
                os.close(4)
            raise
        except KeyboardInterrupt:
            # It came between the end of the code and here.
            outcome = "interrupted"
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                pass
        if os.getpid() != own:
            # A fork that ran to the end of the code is done.
            os._exit(0)
        try:
            os.write(4, ("%s %d %s\n" % (request["nonce"], request["id"], outcome)).encode())
        except OSError:
            os._exit(70)


_drive()
