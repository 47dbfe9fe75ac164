// IEEE 1516.1-2010 C++ API, written for Vernier: bytes of attribute and parameter values, tags and
// encoded handles.
#ifndef RTI_VariableLengthData_h
#define RTI_VariableLengthData_h

#include <RTI/SpecificConfig.h>

#include <string.h>

namespace rti1516e
{
   // Deletes memory taken by takeDataPointer
   typedef void (*VariableLengthDataDeleteFunction) (void * data);

   // Up to 32 bytes are stored in the object; larger data takes one allocation, which is reused while it suffices.
   class RTI_EXPORT VariableLengthData
   {
   public:
      VariableLengthData () noexcept : _data (_within), _size (0), _capacity (Within), _free (0) {}

      // Copies inData.
      VariableLengthData (void const * inData, size_t inSize) : VariableLengthData () { setData (inData, inSize); }

      // A copy always has its own storage, even if the original only points to its data.
      VariableLengthData (VariableLengthData const & rhs) : VariableLengthData () { setData (rhs._data, rhs._size); }

      VariableLengthData (VariableLengthData && rhs) noexcept { take (rhs); }

      ~VariableLengthData ()
      {
         if (_free)
            release ();
      }

      // This object then has its own storage.
      VariableLengthData & operator= (VariableLengthData const & rhs)
      {
         if (this != &rhs)
            setData (rhs._data, rhs._size);
         else if (_capacity == 0)
            own ();
         return *this;
      }

      VariableLengthData & operator= (VariableLengthData && rhs) noexcept
      {
         if (this != &rhs)
         {
            if (_free)
               release ();
            take (rhs);
         }
         return *this;
      }

      // Valid until this object is destroyed or gets new data
      void const * data () const { return _data; }

      size_t size () const { return _size; }

      // Copies inData, which may be a part of the current data.
      void setData (void const * inData, size_t inSize)
      {
         if (inSize > _capacity)
            return grow (inData, inSize);
         if (inSize)
            memmove (_data, inData, inSize);
         _size = inSize;
      }

      // Points to inData. The caller keeps it valid as long as this object exists, or until it gets new data.
      void setDataPointer (void * inData, size_t inSize)
      {
         if (_free)
            release ();
         _data = inData;
         _size = inSize;
         _capacity = 0;
         _free = 0;
      }

      // Takes ownership of inData and deletes it with func, or as an array of char if func is null.
      void takeDataPointer (void * inData, size_t inSize, VariableLengthDataDeleteFunction func = 0);

   private:
      enum : size_t { Within = 32 };

      void release () noexcept;
      void grow (void const * inData, size_t inSize);
      void own ();

      void take (VariableLengthData & rhs) noexcept
      {
         _size = rhs._size;
         _capacity = rhs._capacity;
         _free = rhs._free;
         if (rhs._data == rhs._within)
         {
            memcpy (_within, rhs._within, Within);
            _data = _within;
         }
         else
            _data = rhs._data;
         rhs._data = rhs._within;
         rhs._size = 0;
         rhs._capacity = Within;
         rhs._free = 0;
      }

      void * _data;
      size_t _size;
      size_t _capacity;  // of its own storage; 0: the data is pointed to or was taken over
      VariableLengthDataDeleteFunction _free;  // deletes _data; null: nothing to delete
      char _within[Within];
   };
}

#endif  // RTI_VariableLengthData_h
