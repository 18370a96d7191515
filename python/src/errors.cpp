#include "errors.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace taffrail::python {
namespace {

constexpr std::size_t kCodes = static_cast<std::size_t>(ErrorCode::Internal) + 1;

std::array<PyObject*, kCodes>& exceptions() {
    static std::array<PyObject*, kCodes> all{};
    return all;
}

PyObject* base_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::InvalidArgument:
        case ErrorCode::Corrupt:
        case ErrorCode::Closed:
            return PyExc_ValueError;
        case ErrorCode::NotFound:
            return PyExc_LookupError;
        case ErrorCode::AlreadyExists:
            return PyExc_FileExistsError;
        case ErrorCode::PermissionDenied:
            return PyExc_PermissionError;
        case ErrorCode::Unsupported:
            return PyExc_NotImplementedError;
        case ErrorCode::NoSpace:
        case ErrorCode::Io:
            return PyExc_OSError;
        case ErrorCode::Unavailable:
            return PyExc_ConnectionError;
        case ErrorCode::Timeout:
            return PyExc_TimeoutError;
        case ErrorCode::Internal:
            break;
    }
    return PyExc_RuntimeError;
}

/// Messages of the library in the words of this language.
std::string in_python(std::string message) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kWords = {
        {{"Resume::Allow", "resume='allow'"},
         {"RunOptions::resume", "resume='allow'"},
         {"RunOptions::root", "root="}}};
    for (const auto& [theirs, ours] : kWords) {
        for (std::size_t at = 0; (at = message.find(theirs, at)) != std::string::npos;
             at += ours.size()) {
            message.replace(at, theirs.size(), ours);
        }
    }
    return message;
}

}  // namespace

void bind_errors(nb::module_& module) {
    const auto make = [&](const std::string& name, PyObject* bases) {
        PyObject* made = PyErr_NewException(("taffrail." + name).c_str(), bases, nullptr);
        if (made == nullptr) {
            throw nb::python_error();
        }
        module.attr(name.c_str()) = nb::borrow(made);
        return made;
    };
    PyObject* common = make("Error", PyExc_Exception);
    for (std::size_t i = 0; i < kCodes; ++i) {
        const auto code = static_cast<ErrorCode>(i);
        const nb::tuple bases = nb::make_tuple(nb::borrow(common), nb::borrow(base_of(code)));
        PyObject* made = make(std::string(to_string(code)) + "Error", bases.ptr());
        nb::borrow(made).attr("code") = nb::str(std::string(to_string(code)).c_str());
        exceptions()[i] = made;
    }
}

void raise(const Error& error) {
    PyErr_SetString(exceptions()[static_cast<std::size_t>(error.code)],
                    in_python(error.message).c_str());
    throw nb::python_error();
}

void raise_type_error(const std::string& message) {
    PyErr_SetString(PyExc_TypeError, message.c_str());
    throw nb::python_error();
}

void raise_value_error(const std::string& message) {
    PyErr_SetString(PyExc_ValueError, message.c_str());
    throw nb::python_error();
}

Error error_of(nb::python_error& caught) {
    ErrorCode code = ErrorCode::Internal;
    for (std::size_t i = 0; i < kCodes; ++i) {
        if (caught.matches(nb::handle(exceptions()[i]))) {
            code = static_cast<ErrorCode>(i);
            break;
        }
    }
    return {code, caught.what()};
}

}  // namespace taffrail::python
