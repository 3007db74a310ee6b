import CarillonTestKit

/// Three apps on three simulated phones: `swift run Tour` prints what each step does.
@main
struct Tour {
    static func main() async throws {
        print("Carillon's own SDK")
        try await NativeTour().run()
        print("\nAn app that was written for TOAST Push")
        try await ToastTour().run()
        print("\nAn app that was written for CORE PUSH")
        try await CoreTour().run()
    }
}

/// Prints a step's name, and under it what came of it.
func step(_ name: String) { print("- \(name)") }

@MainActor
func say(_ text: String) { print("    \(text)") }
