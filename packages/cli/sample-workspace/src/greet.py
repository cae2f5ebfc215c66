def greet(name: str) -> str:
    # TODO: share the texts with greet.ts
    return f"Hello, {name}!"


if __name__ == "__main__":
    print(greet("harbour"))
